import { Fn } from 'aws-cdk-lib';
import { type Audience, audienceOf, routesOf } from '../../../shared/http/operation/surface.ts';
import { appId, type OperationEntry } from '../../catalogue.ts';
import { GATEWAY_TIMEOUT, MAX_PATH_NODES, nodesOf } from '../../gateway.ts';
import { ALIAS } from '../functions/rollout.ts';
import { physicalName } from '../names.ts';
import { GATEWAY_RESPONSES } from './gateway-responses.ts';

const MILLISECONDS = 1_000;

type Paths = Record<string, Record<string, object>>;

/** @throws Error when there are more path nodes than one API may have */
const checkNodeCount = (nodes: ReadonlySet<string>, audience: Audience): void => {
  if (nodes.size > MAX_PATH_NODES)
    throw new Error(`the API for ${audience} has ${nodes.size} path nodes; the maximum is ${MAX_PATH_NODES}`);
};

/** @throws Error when a path node is followed by two different variables, which API Gateway does not import */
const checkVariables = (nodes: ReadonlySet<string>): void => {
  const variables = new Map<string, string>();
  for (const node of nodes) {
    const [, parent, variable] = node.match(/^(.*)\/(\{\w+\})$/) ?? [];
    if (parent === undefined || variable === undefined) continue;
    const other = variables.get(parent) ?? variable;
    if (other !== variable) throw new Error(`${parent} is followed by both ${other} and ${variable}`);
    variables.set(parent, variable);
  }
};

/** One route: to the alias of the operation's function, which is named by its physical name. */
const routeTo = (
  entry: OperationEntry,
  { path, id }: { path: string; id: string },
  prefix: string,
  roleArn: string,
): object => {
  const { list } = entry.operation;
  // One text with `Fn::Sub`: a join of its parts would be half as long again, in each of some hundred routes.
  const functionArn = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${physicalName({ prefix }, entry)}:${ALIAS}`;
  const invocations = list
    ? `2021-11-15/functions/${functionArn}/response-streaming-invocations`
    : `2015-03-31/functions/${functionArn}/invocations`;
  return {
    operationId: id,
    parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    responses: {},
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: Fn.sub(`arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${invocations}`),
      credentials: roleArn,
      timeoutInMillis: GATEWAY_TIMEOUT[list ? 'streamed' : 'buffered'] * MILLISECONDS,
      ...(list && { responseTransferMode: 'STREAM' }),
    },
  };
};

/** How an API names its functions, and by which role it invokes them. */
interface Invoking {
  prefix: string;
  roleArn: string;
}

/** @throws Error when two operations have the same method and path */
const pathsOf = (
  operations: readonly OperationEntry[],
  audience: Audience,
  { prefix, roleArn }: Invoking,
): Paths => {
  const paths: Paths = {};
  for (const entry of operations) {
    const { id, method } = entry.operation;
    for (const [position, found] of routesOf(entry.operation).entries()) {
      if (audienceOf(found) !== audience) continue;
      const { path } = found;
      const routes = (paths[path] ??= {});
      if (routes[method.toLowerCase()]) throw new Error(`${id} is a second ${method} ${path}`);
      // API Gateway wants each id once.
      const route = { path, id: position === 0 ? id : appId(id) };
      routes[method.toLowerCase()] = routeTo(entry, route, prefix, roleArn);
      // The same function, which leaves out the body.
      if (method === 'GET') routes['head'] = routeTo(entry, { path, id: `${route.id}Head` }, prefix, roleArn);
    }
  }
  return paths;
};

/**
 * The API for machines or for people in the form that API Gateway imports: an OpenAPI document with nothing but the
 * routes.
 * @param name of the API
 * @throws Error when API Gateway would not import it: two operations on one route, too many path nodes, or two
 * variables after one path node
 */
export const apiBody = (
  operations: readonly OperationEntry[],
  audience: Audience,
  name: string,
  invoking: Invoking,
): object => {
  const paths = pathsOf(operations, audience, invoking);
  const nodes = nodesOf(Object.keys(paths));
  checkNodeCount(nodes, audience);
  checkVariables(nodes);
  return {
    openapi: '3.0.1',
    info: { title: name, version: '1' },
    paths,
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-gateway-responses': GATEWAY_RESPONSES,
  };
};
