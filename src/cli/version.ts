export { VERSION } from '../inspect/ownPackage.js';

/** What the command line calls itself before an agent. */
export const CLIENT_NAME = 'acp-turnstile';
