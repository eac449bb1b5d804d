import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { mappingProblems } from '../domain/integrations/mappings.ts';
import type {
  DirectorySource,
  NewDirectorySource,
  NewSource,
  Source,
  SourceChanges,
} from '../schemas/integrations/source.ts';
import type { Board, Column, Level } from '../schemas/integrations/vendor.ts';
import type { StoredSource } from '../table/entities/integrations.ts';
import { errorOf, type OpenConnection, openConnection } from './live.ts';
import { toDirectorySource, toSource } from './rows/records.ts';
import * as sources from './rows/sources.ts';
import { storedName } from './vendor.ts';
import { vendorOf } from './vendors.ts';

/** The fields of a source that say what it reads, and how. */
type Reading = Pick<
  StoredSource,
  'board_id' | 'level' | 'target_ref' | 'mappings' | 'value_maps' | 'identity_column'
>;

const columnsOf = ({ session }: OpenConnection, boardId: string, level: Level): Promise<Column[]> =>
  level === 'subitem' ? session.subitemColumns(boardId) : session.columns(boardId);

/** Asks the vendor about a board that a request names. @throws ApiError 400 when the vendor has no such board */
const askAbout = async <Result>(
  caller: Caller,
  open: OpenConnection,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw await errorOf(caller, open, error, () => errors.vendorIdUnknown('board_id'));
  }
};

/** @throws ApiError 422 for mappings that do not fit the board; 400 when the vendor has no such board */
const checkedBoard = async (
  caller: Caller,
  open: OpenConnection,
  reading: Reading & { board_id: string },
): Promise<Board> => {
  const { board_id, level } = reading;
  const [board, columns] = await askAbout(caller, open, async () => [
    await open.session.board(board_id),
    await columnsOf(open, board_id, level),
  ]);
  const problems = mappingProblems(reading, columns);
  if (problems.length > 0) throw errors.validationFailed(problems);
  return { ...board, name: storedName(board.name) };
};

/**
 * Creates a source, if its mappings fit the board.
 * @throws ApiError 404; 400 for a board that the vendor does not have; 422 for the mappings; 409 for a credential that
 * the vendor refuses, or too many sources; 503
 */
export const createSource = async (
  caller: Caller,
  connectionId: string,
  fields: NewSource,
): Promise<Source> => {
  const open = await openConnection(caller, connectionId);
  const { name: board_name } = await checkedBoard(caller, open, fields);
  const { vendor } = open.connection;
  return sources.create(caller, { ...fields, connection_id: connectionId, vendor, board_name }, toSource);
};

/** Why a changed source could not be synced: its mappings do not fit the board. */
const problemsOf = async (caller: Caller, source: StoredSource): Promise<Problem[]> => {
  const open = await openConnection(caller, source.connection_id);
  const columns = await askAbout(caller, open, () => columnsOf(open, source.board_id!, source.level));
  return mappingProblems(source, columns);
};

/** @throws ApiError as `createSource`; 409 for another version */
export const updateSource = (
  caller: Caller,
  id: string,
  changes: SourceChanges,
  expectedVersion?: number,
): Promise<Source> =>
  sources.update(
    caller,
    id,
    changes,
    (vendor) => vendorOf(vendor).calls_per_day,
    (source) => problemsOf(caller, source),
    expectedVersion,
  );

const bodyProblem = (field: string, msg: string): Problem => ({
  loc: ['body', field],
  msg: `Value error, ${msg}`,
  type: 'value_error',
});

/**
 * Creates a directory source: people as the items of a board, or the users of the vendor's account.
 * @throws ApiError 400 for a connection or a board that does not exist; 422 for the mappings; 409; 503
 */
export const createDirectorySource = async (
  caller: Caller,
  { connection_id, name, kind, board_id, mappings, schedule_minutes }: NewDirectorySource,
): Promise<DirectorySource> => {
  const isBoard = (kind ?? (board_id === null ? 'users' : 'board')) === 'board';
  const problems = [
    ...(isBoard && board_id === null ? [bodyProblem('board_id', 'a directory of kind board needs one')] : []),
    ...(!isBoard && board_id !== null ? [bodyProblem('board_id', 'a directory of users has no board')] : []),
    ...(!isBoard && Object.keys(mappings).length > 0
      ? [bodyProblem('mappings', 'a directory of users has no columns to map')]
      : []),
  ];
  if (problems.length > 0) throw errors.validationFailed(problems);
  const fields = {
    connection_id,
    name,
    target_ref: 'members' as const,
    board_id,
    board_name: null,
    group_ids: [],
    level: 'item' as const,
    identity_column: null,
    mappings,
    value_maps: {},
    on_missing: 'deactivate' as const,
    schedule_minutes,
  };
  const open = await openConnectionOf(caller, connection_id);
  const board = board_id === null ? null : await checkedBoard(caller, open, { ...fields, board_id });
  return sources.create(
    caller,
    { ...fields, vendor: open.connection.vendor, board_name: board?.name ?? null },
    toDirectorySource,
  );
};

/** The connection that a body names. @throws ApiError 400 when there is none */
const openConnectionOf = async (caller: Caller, id: string): Promise<OpenConnection> => {
  try {
    return await openConnection(caller, id);
  } catch (error) {
    if (error instanceof Error && (error as { code?: string }).code === errors.notFound.code) {
      throw errors.referenceNotFound('connection_id');
    }
    throw error;
  }
};
