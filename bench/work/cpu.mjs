/** CPU time of this process since `before`, all threads, in microseconds. */
export function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** What is alive after everything dead was collected, in bytes. */
export async function heapBytes() {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}
