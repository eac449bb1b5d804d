import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Failure, read, request } from './api.ts';

/** A request that is made on a button. */
export interface Work {
  isBusy: boolean;
  failure: Failure | undefined;
  /** Runs it, unless it runs already: a double click does nothing twice. @returns whether it succeeded */
  run: (work: () => Promise<void>) => Promise<boolean>;
  forget: () => void;
}

export const useWork = (): Work => {
  const [state, setState] = useState<{ isBusy: boolean; failure: Failure | undefined }>({
    isBusy: false,
    failure: undefined,
  });
  const running = useRef(false);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setState({ isBusy: true, failure: undefined });
    try {
      await work();
      setState({ isBusy: false, failure: undefined });
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setState({ isBusy: false, failure: error });
      return false;
    } finally {
      running.current = false;
    }
  };
  return { ...state, run, forget: () => setState({ isBusy: false, failure: undefined }) };
};

/** Something that was read from the service. */
export interface Loaded<Value> {
  /** Undefined until it has arrived. */
  value: Value | undefined;
  failure: Failure | undefined;
  reload: () => Promise<void>;
  /** Shows what a change has replied. */
  set: (value: Value) => void;
}

/**
 * Reads a path, and reads it again when the path changes. What arrives late for another path is not shown.
 * @param from reads what one request cannot
 */
export const useLoaded = <Value>(
  path: string,
  from: (path: string) => Promise<Value> = read,
): Loaded<Value> => {
  const [state, setState] = useState<{ path: string; value?: Value; failure?: Failure }>({ path });
  const latest = useRef(0);
  const reload = useCallback(async () => {
    const turn = ++latest.current;
    try {
      const value = await from(path);
      if (turn === latest.current) setState({ path, value });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (turn === latest.current)
        setState((before) => ({ ...(before.path === path && before), path, failure: error }));
    }
  }, [path]);
  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);
  const isOf = state.path === path;
  return {
    value: isOf ? state.value : undefined,
    failure: isOf ? state.failure : undefined,
    reload,
    set: (value) => {
      latest.current++;
      setState({ path, value });
    },
  };
};

/** Shows what a change has made of one row of a list. */
export const showChanged = <Row extends { id: string }>({ value, set }: Loaded<Row[]>, changed: Row): void =>
  set((value ?? []).map((row) => (row.id === changed.id ? changed : row)));

/** Reads something anew after a change that did not succeed: somebody else may have changed it, and the next try knows that. */
export const orReload =
  ({ reload }: Pick<Loaded<unknown>, 'reload'>) =>
  async (isDone: boolean): Promise<void> => {
    if (!isDone) await reload();
  };

/** A list of which one page after the other is read. */
export interface Pages<Row> extends Loaded<Row[]> {
  /** Undefined on the last page. */
  more: (() => void) | undefined;
  isLoading: boolean;
}

/** Rows of one page. */
const PAGE = 50;

/**
 * @param path with its query, without paging
 * @param isByOffset pages are numbered by `offset`; otherwise each reply names the next one
 * @param size rows of one page
 */
export const usePages = <Row>(path: string, isByOffset = false, size = PAGE): Pages<Row> => {
  const [plain, query] = path.split('?');
  const first = `${path}${query === undefined ? '?' : '&'}limit=${size}`;
  const [state, setState] = useState<{
    path: string;
    rows?: Row[];
    next?: string | undefined;
    failure?: Failure;
  }>({
    path,
  });
  const [isLoading, setIsLoading] = useState(false);
  const latest = useRef(0);
  const load = useCallback(
    async (before: Row[], address: string) => {
      const turn = ++latest.current;
      setIsLoading(true);
      try {
        const { value, next } = await request<Row[]>('GET', address);
        const rows = [...before, ...value];
        const byOffset = value.length < size ? undefined : `${first.split('?')[1]}&offset=${rows.length}`;
        if (turn === latest.current) setState({ path, rows, next: isByOffset ? byOffset : next });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (turn === latest.current)
          setState((known) => ({ ...(known.path === path && known), path, failure: error }));
      } finally {
        if (turn === latest.current) setIsLoading(false);
      }
    },
    [path, isByOffset, size],
  );
  const reload = useCallback(() => load([], first), [load, first]);
  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);
  const { rows, next, failure } =
    state.path === path ? state : { rows: undefined, next: undefined, failure: undefined };
  return {
    value: rows,
    failure,
    reload,
    set: (value) => setState({ path, rows: value, next }),
    more: next === undefined ? undefined : () => void (isLoading || load(rows ?? [], `${plain}?${next}`)),
    isLoading,
  };
};
