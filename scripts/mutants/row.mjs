/** `pairs`: what stands there, exactly once, and what takes its place, in turn. `says`: the promise that is broken. */
export const row = (file, says, ...pairs) => ({ file, says, pairs });
