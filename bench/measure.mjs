/** One measurement in a process of its own: `node --expose-gc measure.mjs SCENARIO DRIVER [quick]`. Prints one line of JSON. */
import { scenarioOf } from './scenarios.mjs';

const [name, driverName, size] = process.argv.slice(2);
const { work, agent, drivers, settings } = scenarioOf(name, size === 'quick');
const { measure } = await import(`./work/${work}.mjs`);
const { module, ...own } = drivers[driverName];
const driver = module === undefined ? undefined : await import(`./drivers/${module}.mjs`);
const measured = await measure(driver, agent, { ...settings, ...own });
const peakMB = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ ...measured, peakMB })}\n`, () => process.exit(0));
