/**
 * Milliseconds of processor time since this process started. For guards against work that explodes with its input: other
 * work on the machine does not count.
 */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
