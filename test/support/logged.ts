/** What is logged while `work` runs, as texts. @param level the value of `LOG_LEVEL` */
export const logged = async (work: () => unknown, level = 'info'): Promise<string[]> => {
  const before = process.env['LOG_LEVEL'];
  process.env['LOG_LEVEL'] = level;
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await work();
    return write.mock.calls.map(([text]) => String(text));
  } finally {
    write.mockRestore();
    process.env['LOG_LEVEL'] = before;
  }
};

/** The ids of the work whose end among the dead letters is logged while `work` runs: an alarm stands on these lines. */
export const lettersLogged = async (work: () => unknown): Promise<string[]> =>
  (await logged(work, 'error'))
    .map((text) => JSON.parse(text) as { id: string; DeadLetters?: number })
    .flatMap(({ id, DeadLetters }) => (DeadLetters === 1 ? [id] : []));
