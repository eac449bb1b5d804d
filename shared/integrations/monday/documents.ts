/**
 * All GraphQL documents that are sent to monday.com. A test checks them against the published schema of `API_VERSION`.
 * They ask for few fields, because each field counts in the account's complexity budget.
 */

/** The version that the documents are written for. monday.com does not refuse an unknown one. */
export const API_VERSION = '2026-10';

const BOARD = `
fragment BoardFields on Board {
  id
  name
  description
  board_kind
  state
  type
  items_count
  url
  updated_at
  workspace { id name }
}`;

/** `text` is empty for values that are computed or structured; those have fields of their own. */
const VALUES = `
fragment Values on Item {
  column_values(ids: $columns) @include(if: $has_values) {
    id
    type
    text
    value
    ... on MirrorValue { display_value }
    ... on BoardRelationValue { display_value linked_item_ids }
    ... on DependencyValue { display_value linked_item_ids }
    ... on FormulaValue { display_value }
    ... on StatusValue { label index label_style { color } }
    ... on CheckboxValue { checked }
    ... on EmailValue { email }
    ... on PhoneValue { phone }
    ... on LinkValue { url }
    ... on LocationValue { lat lng address country }
    ... on WorldClockValue { timezone }
    ... on ColorPickerValue { color }
    ... on PeopleValue { persons_and_teams { id kind } }
  }
}`;

/** Of items whose board is known. */
const ITEM = `
fragment ItemFields on Item {
  id
  name
  state
  url
  created_at
  updated_at
  group { id title }
  ...Values
}
${VALUES}`;

const SUBITEM = `
fragment SubitemFields on Item {
  id
  name
  state
  url
  created_at
  updated_at
  board { id }
  ...Values
}
${VALUES}`;

const COLUMNS = '$columns: [String!], $has_values: Boolean!';

export const DOCUMENTS = {
  account: `query Account { me { id } account { id name slug } }`,

  boards: `query Boards($limit: Int!, $page: Int!, $workspaces: [ID]) {
    boards(limit: $limit, page: $page, workspace_ids: $workspaces, order_by: created_at) { ...BoardFields }
  }
  ${BOARD}`,

  board: `query Board($board: ID!) {
    boards(ids: [$board], limit: 1) { ...BoardFields }
  }
  ${BOARD}`,

  columns: `query Columns($board: ID!) {
    boards(ids: [$board], limit: 1) {
      id
      columns { id title type description settings settings_str archived }
    }
  }`,

  items: `query Items($board: ID!, $limit: Int!, $filter: ItemsQuery, ${COLUMNS}) {
    boards(ids: [$board], limit: 1) {
      items_page(limit: $limit, query_params: $filter) { cursor items { ...ItemFields } }
    }
  }
  ${ITEM}`,

  nextItems: `query NextItems($cursor: String!, $limit: Int!, ${COLUMNS}) {
    next_items_page(cursor: $cursor, limit: $limit) { cursor items { ...ItemFields } }
  }
  ${ITEM}`,

  subitems: `query Subitems($board: ID!, $limit: Int!, $filter: ItemsQuery, ${COLUMNS}) {
    boards(ids: [$board], limit: 1) {
      items_page(limit: $limit, query_params: $filter) {
        cursor
        items { id group { id title } subitems { ...SubitemFields } }
      }
    }
  }
  ${SUBITEM}`,

  nextSubitems: `query NextSubitems($cursor: String!, $limit: Int!, ${COLUMNS}) {
    next_items_page(cursor: $cursor, limit: $limit) {
      cursor
      items { id group { id title } subitems { ...SubitemFields } }
    }
  }
  ${SUBITEM}`,

  item: `query Item($item: ID!, ${COLUMNS}) {
    items(ids: [$item], limit: 1) { board { id } parent_item { id } ...ItemFields }
  }
  ${ITEM}`,

  children: `query Children($item: ID!, ${COLUMNS}) {
    items(ids: [$item], limit: 1) { id group { id title } subitems { ...SubitemFields } }
  }
  ${SUBITEM}`,

  people: `query People($limit: Int!, $page: Int!, $statuses: [UserStatus!]) {
    users(limit: $limit, page: $page, status: $statuses) { id name email title status }
  }`,
} as const;

export type DocumentName = keyof typeof DOCUMENTS;
