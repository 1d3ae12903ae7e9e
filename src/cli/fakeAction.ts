/** What `fake` does. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import * as v from 'valibot';
import { playCaseAgent } from '../fake/caseAgent.js';
import { segmentsOf, type Step } from '../fake/steps.js';
import { EXIT } from './exitCodes.js';
import { fileTrouble } from './fileTrouble.js';
import type { FakeFlags } from './flags.js';

const CaseFile = v.looseObject({ agentScript: v.array(v.record(v.string(), v.unknown())) });

export function fake({ case: file, segment = 0 }: FakeFlags, command: Command): Promise<never> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return command.error(`error: the case cannot be read: ${fileTrouble(file, error)}`);
  }
  const script = scriptOf(text);
  if (!script) return command.error(`error: ${file} is no case file: it needs a list \`agentScript\``);
  const segments = segmentsOf(script);
  const steps = segments[segment];
  if (!steps)
    return command.error(`error: the case starts ${segments.length} processes: there is no segment ${segment}`);
  return playCaseAgent({ script: steps, failCode: EXIT.found });
}

function scriptOf(text: string): readonly Step[] | undefined {
  try {
    const file = v.safeParse(CaseFile, JSON.parse(text));
    return file.success ? file.output.agentScript : undefined;
  } catch {
    return undefined;
  }
}
