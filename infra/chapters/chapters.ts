import { $, type Chapter, type Step } from './chapter.ts';

/** The question whose answers the chapters save. */
const RAILS = {
  section_id: '019cade0-51c2-7000-8000-000000000001',
  field_id: '019cade0-51c2-7000-8000-000000000002',
};

/** Reads a list page by page, in Python. */
const PAGES = `def pages(path):
    url = API + path
    while url:
        request = urllib.request.Request(url, headers={"Authorization": "Bearer " + os.environ["API_KEY"]})
        with urllib.request.urlopen(request) as reply:
            yield from json.load(reply)
            link = re.search(r'<([^>]*)>; rel="next"', reply.headers.get("Link", ""))
        url = link and urllib.parse.urljoin(url, link[1])`;

/** A location, and a template with one question. */
const PREPARED: readonly Step[] = [
  'An inspection happens at a **location**:',
  {
    call: 'createLocation',
    body: { name: 'Crane 7', kind: 'machine', timezone: 'Europe/Lisbon' },
    as: 'location',
  },
  'A **template family** says what is asked. Sections and fields have ids that you choose, as UUIDs. Its first version is a draft, which you publish:',
  {
    call: 'createFamily',
    body: {
      name: 'Tower crane, weekly',
      content: {
        sections: [
          {
            id: RAILS.section_id,
            title: 'Guard rails',
            fields: [
              {
                id: RAILS.field_id,
                type: 'pass_fail_na',
                label: 'Complete and firm',
                required: true,
                finding: { create: 'auto', severity: 'major' },
              },
              { id: '019cade0-51c2-7000-8000-000000000003', type: 'text', label: 'Remarks' },
            ],
          },
        ],
      },
    },
    as: 'family',
  },
  { call: 'publishTemplate', path: { template_id: $('family.draft_version_id!') } },
];

/** An inspection that has begun. */
const STARTED: readonly Step[] = [
  ...PREPARED,
  'The key has an identity of its own, `GET /me/profile`. Here it inspects itself; *Acting for members* shows how it inspects for a person.',
  { call: 'getMyProfile', as: 'me' },
  {
    call: 'createInspection',
    body: {
      template_family_id: $('family.id'),
      location_id: $('location.id'),
      participants: [{ user_id: $('me.id'), role: 'inspector' }],
    },
    as: 'inspection',
  },
  { call: 'startInspection', path: { inspection_id: $('inspection.id') } },
];

const firstInspection: Chapter = {
  name: 'first-inspection',
  title: 'First inspection',
  whom: 'For everybody who begins: from a key to a completed inspection and its PDF.',
  steps: [
    'From a key to a PDF. The programs of all chapters read the address of the service from `API_URL`, without `/v1`, and the key from `API_KEY`.',
    ...STARTED,
    'Answers are saved one by one or, as here, in a **batch**. The first one fails, so it makes a finding:',
    {
      call: 'saveAnswers',
      path: { inspection_id: $('inspection.id') },
      body: {
        responses: [
          {
            ...RAILS,
            value: 'fail',
            note: 'Second bolt missing.',
          },
        ],
      },
    },
    '`advance` submits the part of the caller. No approval is asked for, so the inspection is completed:',
    { call: 'advanceInspection', path: { inspection_id: $('inspection.id') }, body: {}, as: 'completed' },
    { print: ['completed.status', 'completed.findings_count'] },
    'A **report** is made in the background: read it until it is `ready`. An **export** is a file of it, with a URL that works for 15 minutes:',
    { call: 'createReport', path: { inspection_id: $('inspection.id') }, body: {}, as: 'report' },
    { call: 'getReport', path: { report_id: $('report.id') }, until: 'ready', as: 'ready' },
    {
      call: 'createReportExport',
      path: { report_id: $('ready.id') },
      body: { format: 'pdf' },
      as: 'file',
    },
    {
      call: 'getReportExport',
      path: { report_id: $('ready.id'), export_id: $('file.id') },
      until: 'ready',
      as: 'pdf',
    },
    {
      code: {
        curl: `curl --silent --show-error --fail -o report.pdf "$pdf_url"
head -c 4 report.pdf; echo`,
        typescript: `import { writeFile } from 'node:fs/promises';
const bytes = Buffer.from(await (await api.download(pdf.url!)).arrayBuffer());
await writeFile('report.pdf', bytes);
console.log(bytes.toString('latin1', 0, 4));`,
        python: `urllib.request.urlretrieve(pdf["url"], "report.pdf")
print(open("report.pdf", "rb").read(4).decode())`,
      },
    },
  ],
  prints: ['completed', '1', '%PDF'],
};

const files: Chapter = {
  name: 'files',
  title: 'Files and photos',
  whom: 'For those whose inspectors take photos: uploads, and where a file is used.',
  before: STARTED,
  steps: [
    'A file becomes a **document** first, and is then named where it belongs: in an answer, a finding, a corrective action. Files of up to 4 MiB are sent as a form to `POST /documents`. Any file of up to 100 MB goes straight to the storage: ask for an upload, `PUT` the bytes to its `url` with exactly its `headers`, complete it.',
    {
      code: {
        curl: `printf 'The guard rail is loose.' > rail.txt
upload=$(call "$API/documents/uploads" -d '{"file_name": "rail.txt", "mime_type": "text/plain", "size_bytes": 24}')
upload_id=$(jq -r .upload_id <<< "$upload")
jq -r '.headers | to_entries[] | "\\(.key): \\(.value)"' <<< "$upload" > headers.txt
curl --silent --show-error --fail -X PUT -H @headers.txt --data-binary @rail.txt "$(jq -r .url <<< "$upload")"
document=$(call "$API/documents/uploads/$upload_id/complete" -d '{"title": "Guard rail"}')
document_id=$(jq -r .id <<< "$document")`,
        typescript: `const bytes = new Blob(['The guard rail is loose.'], { type: 'text/plain' });
const document = await api.upload({ file: bytes, file_name: 'rail.txt', title: 'Guard rail' });`,
        python: `data = b"The guard rail is loose."
upload = call("POST", "/documents/uploads", {"file_name": "rail.txt", "mime_type": "text/plain", "size_bytes": len(data)})
urllib.request.urlopen(urllib.request.Request(upload["url"], data, upload["headers"], method="PUT")).close()
document = call("POST", f"/documents/uploads/{upload['upload_id']}/complete", {"title": "Guard rail"})`,
      },
    },
    'A photo or file of an answer stands in its `media`, with a caption:',
    {
      call: 'replaceAnswer',
      path: { inspection_id: $('inspection.id') },
      body: {
        ...RAILS,
        value: 'pass',
        media: [{ document_id: $('document.id'), caption: 'North side' }],
      },
    },
    'The `url` of a document is signed and works for 15 minutes. Keep the id, not the URL, and read the document again when you need the file:',
    { call: 'getDocument', path: { document_id: $('document.id') }, as: 'stored' },
    { print: ['stored.title', 'stored.size_bytes'] },
  ],
  prints: ['Guard rail', '24'],
};

const webhooks: Chapter = {
  name: 'webhooks',
  title: 'Webhooks',
  whom: 'For those who want to hear at once that something has happened.',
  steps: [
    'An endpoint of yours gets each event within seconds. It must be reachable over HTTPS (a service on your own machine also sends to `http://localhost`), and answer with a 2xx status within the time limit; do the work afterwards. The format is that of [Standard Webhooks](https://www.standardwebhooks.com), so its libraries work as well.',
    '**Subscribe.** A key that may write, or has the scope `webhooks:write`, creates the endpoint with `POST /webhooks`, and says which events it gets: single types, or all of a kind with `*`. Only this reply and that of a rotation have the `secret`:',
    {
      call: 'createWebhook',
      body: {
        url: 'https://example.com/hooks/inspections',
        description: 'The ERP of the port',
        types: ['report.ready', 'finding.*'],
      },
      as: 'webhook',
    },
    { print: ['webhook.status'] },
    '**Filter.** With a `filter`, an endpoint gets only the events of a template family, of a location and all below it, or of a client account; of several, an event must be about each. What an event is about is what its data names. A finding, a corrective action, a report and saved answers are also about what their inspection is about, and an asset about the client account of its location. An event that is about no such thing is not sent: nothing of members passes any filter, and nothing of issues passes one with a template family. Where a location is counts when the event is sent: after a move, its events go to the endpoints of its new place. A location that is merged into another one is followed there. Something archived is still sent. When what the filter names is deleted, the endpoint gets that event as the last one; it stays, and needs another filter or none. Replays are filtered as well, by the filter that the endpoint has then.',
    '**Headers of your own.** A gateway in front of your endpoint may want a header, such as `Authorization`. Name up to five in `headers`: each delivery has them, tests and replays included. They are no substitute for the signature. The service keeps their values encrypted and shows only the names, in `header_names`; it also takes values of eight characters or more out of what it keeps of the replies. A change of the webhook keeps them unless it has `headers`. When the `url` becomes one of another host, the change must have them, or null: no other receiver gets them unasked. An organization that is moved to another installation gives its headers again.',
    '`POST /webhooks/{webhook_id}/test` sends a message at once, and the deliveries say what became of each:',
    {
      call: 'listWebhookDeliveries',
      path: { webhook_id: $('webhook.id') },
      query: { limit: 20 },
      as: 'deliveries',
    },
    '**Verify** each request before you believe it. The signature is the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, with the decoded secret as the key. Take the body as it came, compare in constant time, and refuse what is older than five minutes. Here the request stands in variables, as your web framework hands it over:',
    {
      code: {
        curl: `secret=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')
signature=$(printf %s "$WEBHOOK_ID.$WEBHOOK_TIMESTAMP.$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -binary | base64)
age=$(( $(date +%s) - WEBHOOK_TIMESTAMP ))
case " $WEBHOOK_SIGNATURE " in
  *" v1,$signature "*) [ "\${age#-}" -le 300 ] && jq -r .type <<< "$BODY" ;;
  *) echo 'not ours' ;;
esac`,
        typescript: `import { verifyWebhook } from 'inspection-service-client';
const { BODY = '', WEBHOOK_ID, WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE, WEBHOOK_SECRET = '' } = process.env;
const headers = {
  'webhook-id': WEBHOOK_ID,
  'webhook-timestamp': WEBHOOK_TIMESTAMP,
  'webhook-signature': WEBHOOK_SIGNATURE,
};
const event = await verifyWebhook(BODY, headers, WEBHOOK_SECRET);
console.log(event.type);`,
        python: `import base64, hashlib, hmac

def verify(body, headers, secret):
    identity, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{identity}.{timestamp}.{body}".encode()
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split(" ")):
        raise ValueError("not ours")
    return json.loads(body)

names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
headers = {name: os.environ[name.upper().replace("-", "_")] for name in names}
print(verify(os.environ["BODY"], headers, os.environ["WEBHOOK_SECRET"])["type"])`,
      },
    },
    '**Repeats.** A delivery without a 2xx is attempted again for almost two days. A repeated one has the same `webhook-id`, so keep the ids that you have handled for two days, and answer 200 to one that you know. Deliveries may arrive in another order than they happened: the `sequence` of the events tells it.',
    '**Replay.** After a longer outage, send `POST /webhooks/{webhook_id}/replay`: every event of the period is sent again, in order. Or read what you have missed from `GET /events`, as in *Keeping a copy in step*.',
    '**Rotation.** For `overlap_hours` after a secret is rotated (24 when left out, up to 720), each request has two signatures, one by each secret. A receiver that knows one of the two secrets accepts it.',
    { call: 'rotateWebhookSecret', path: { webhook_id: $('webhook.id') } },
    '**Unsubscribe** when you no longer want the events. An endpoint that answers `410` ends its subscription as well.',
    { call: 'deleteWebhook', path: { webhook_id: $('webhook.id') } },
  ],
  prints: ['active', 'location.created'],
};

const copy: Chapter = {
  name: 'keeping-a-copy',
  title: 'Keeping a copy in step',
  whom: 'For those who keep the data in a system of their own.',
  steps: [
    'All events since the first one tell what the lists show. The event of a resource has it as its GET shows it, with its `version`. They are in the order of their `sequence`, without gaps: keep the last one that you have handled together with your copy, in one transaction. This program keeps the locations, inspections, findings and corrective actions:',
    {
      code: {
        curl: `last=0 copy='{}'
# Reads all events after the last one, page by page, and applies them to the copy.
follow() {
  while events=$(call "$API/events?after=$last&limit=200"); [ "$(jq length <<< "$events")" -gt 0 ]; do
    copy=$(jq --argjson copy "$copy" 'reduce (.[] | select(.type
        | test("^(location|inspection|finding|corrective_action)[.]") and (test("answers_saved|commented") | not)
      )) as {$type, $data} ($copy; (($type | split(".")[0]) + " " + $data.id) as $key
        | if $type | endswith(".deleted") then del(.[$key])
          elif (.[$key].version // 0) <= $data.version then .[$key] = $data else . end)' <<< "$events")
    last=$(jq '.[-1].sequence' <<< "$events")
  done
}`,
        typescript: `const KINDS = ['location', 'inspection', 'finding', 'corrective_action'];
// Their data is an answer or a comment.
const APART = ['inspection.answers_saved', 'corrective_action.commented'];

let last = 0;
const copy = new Map<string, { id: string; version: number; name?: string }>();
/** Reads all events after the last one, and applies them to the copy. */
const follow = async (): Promise<void> => {
  for await (const event of api.each.listEvents({ query: { after: last } })) {
    last = event.sequence;
    const [kind = '', what] = event.type.split('.');
    if (!KINDS.includes(kind) || APART.includes(event.type)) continue;
    const data = event.data as { id: string; version: number };
    const key = kind + ' ' + data.id;
    if (what === 'deleted') copy.delete(key);
    else if ((copy.get(key)?.version ?? 0) <= data.version) copy.set(key, data);
  }
};`,
        python: `KINDS = ["location", "inspection", "finding", "corrective_action"]
# Their data is an answer or a comment.
APART = ["inspection.answers_saved", "corrective_action.commented"]

last = 0
copy = {}

def follow():
    """Reads all events after the last one, page by page, and applies them to the copy."""
    global last
    while events := call("GET", f"/events?after={last}&limit=200"):
        for event in events:
            kind, what = event["type"].split(".", 1)
            if kind not in KINDS or event["type"] in APART:
                continue
            data = event["data"]
            key = (kind, data["id"])
            if what == "deleted":
                copy.pop(key, None)
            elif copy.get(key, {}).get("version", 0) <= data["version"]:
                copy[key] = data
        last = events[-1]["sequence"]`,
      },
    },
    { call: 'createLocation', body: { name: 'Crane 8' }, as: 'location' },
    {
      call: 'updateLocation',
      path: { location_id: $('location.id') },
      body: { name: 'Crane 8, east' },
      as: 'changed',
    },
    {
      code: {
        curl: `# An event appears within about a second of its change.
names() { jq -r '.[].name' <<< "$copy"; }
until follow; names | grep --quiet "Crane 8, east"; do sleep 1; done
echo "in the copy"`,
        typescript: `// An event appears within about a second of its change.
const second = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));
const names = (): (string | undefined)[] => [...copy.values()].map(({ name }) => name);
while (!names().includes('Crane 8, east')) {
  await second();
  await follow();
}
console.log('in the copy');`,
        python: `# An event appears within about a second of its change.
def names():
    return [data.get("name") for data in copy.values()]

while "Crane 8, east" not in names():
    time.sleep(1)
    follow()
print("in the copy")`,
      },
    },
    'Events are kept for 400 days. If the first ones are gone, note the last `sequence`, read the lists, and follow the events from there. What changed while you read is in both. This **overlap** does no harm: an event counts unless the copy has a higher version. A **deletion** is an event too; a template family takes its versions with it.',
    { call: 'deleteLocation', path: { location_id: $('location.id') } },
    {
      code: {
        curl: `while follow; names | grep --quiet "Crane 8, east"; do sleep 1; done
echo "gone"`,
        typescript: `while (names().includes('Crane 8, east')) {
  await second();
  await follow();
}
console.log('gone');`,
        python: `while "Crane 8, east" in names():
    time.sleep(1)
    follow()
print("gone")`,
      },
    },
    '**Left out.** Some fields change without an event, and their descriptions say so: counts and progress, which follow from other resources, what became of mails, and what is read from elsewhere, such as the `path` of a location. After `inspection.answers_saved`, which names the answers that were saved, read them. Of reports, events tell only when one is ready or has failed. Members that are API keys, and settings such as kinds of assets, calendars of holidays and categories of issues, have no events of their creation: read their lists from time to time.',
    'Without events, ask each list for what has changed: `updated_since` finds every change of what a list shows. Ask from a minute before your last request, because clocks differ, and ignore what comes twice with the same version. Deletions are not found this way, so read the ids of the whole list from time to time.',
    { call: 'listLocations', query: { updated_since: '2026-01-01T00:00:00.000Z', limit: 200 } },
    '**The other way round**, a system of yours knows the places, and pushes them here every night. Send each one with its id there as the `external_ref`. The first night creates the places. Later nights change what differs: a place that is as it was is not written, and no event tells of it. What the body leaves out stays as it is, such as the tags that somebody has given it here. 500 places are 500 requests, which take two minutes at 300 requests a minute. A request whose reply was lost is sent again as it is. Client accounts and assets have the same operation.',
    {
      code: {
        curl: `push() { call -X PUT "$API/locations/by-external-ref/$(jq -rn --arg ref "$1" '$ref | @uri')" -d "$2"; }
for night in 1 2; do push "pier 3/11" '{"name": "Crane 11", "kind": "machine"}' | jq -r .version; done`,
        typescript: `const push = (external_ref: string, body: { name: string; kind?: string }) =>
  api.upsertLocation({ path: { external_ref }, body });
for (const night of [1, 2]) console.log((await push('pier 3/11', { name: 'Crane 11', kind: 'machine' })).version);`,
        python: `import urllib.parse

def push(external_ref, body):
    return call("PUT", "/locations/by-external-ref/" + urllib.parse.quote(external_ref, safe=""), body)

for night in (1, 2):
    print(push("pier 3/11", {"name": "Crane 11", "kind": "machine"})["version"])`,
      },
    },
  ],
  prints: ['in the copy', 'gone', '1', '1'],
};

const answersForBi: Chapter = {
  name: 'answers-for-bi',
  title: 'Answers for BI',
  whom: 'For those who analyse answers in tables.',
  before: STARTED,
  steps: [
    'A data warehouse or a BI tool wants the answers of all inspections in one table. `GET /responses` has a row for each answer to a template family, with the inspection, its place and client account, the question, the value as a code and as people read it. This program keeps such a table, by the `id` of the answers:',
    {
      code: {
        curl: `since='' greatest='' table='{}'
# Reads all answers at first, and what has changed since then the next times.
refresh() {
  next="$API/responses?template_family_id=$family_id&limit=1000$since"
  while [ -n "$next" ]; do
    rows=$(call -D headers.txt "$next")
    table=$(jq --argjson table "$table" 'reduce .[] as $row ($table;
      if $row.kind == "answer" then .[$row.id] = $row
      elif $row.id then del(.[$row.id])
      else with_entries(select(.value.inspection_id != $row.inspection_id)) end)' <<< "$rows")
    recorded=$(jq -r '[.[].recorded_at] | max // empty' <<< "$rows")
    if [[ "$recorded" > "$greatest" ]]; then greatest=$recorded; fi
    next=$(tr -d '\\r' < headers.txt | sed -n 's/^link: .*<\\([^>]*\\)>; rel="next".*/\\1/Ip')
    case "$next" in \\?*) next="$API/responses$next" ;; esac
  done
  since="\${greatest:+&updated_since=$greatest}"
}`,
        typescript: `type Row = Awaited<ReturnType<typeof api.listFamilyAnswers>>[number];
type Answer = Extract<Row, { kind: 'answer' }>;

let since: string | undefined;
const table = new Map<string, Answer>();
/** Reads all answers at first, and what has changed since then the next times. */
const refresh = async (): Promise<void> => {
  const query = { template_family_id: family.id, ...(since && { updated_since: since }) };
  for await (const row of api.each.listFamilyAnswers({ query })) {
    if (row.kind === 'answer') table.set(row.id, row);
    else if (row.id) table.delete(row.id);
    else
      for (const answer of table.values())
        if (answer.inspection_id === row.inspection_id) table.delete(answer.id);
    if (!since || row.recorded_at > since) since = row.recorded_at;
  }
};`,
        python: `import re

since = ""
table = {}

${PAGES}

def refresh():
    """Reads all answers at first, and what has changed since then the next times."""
    global since
    greatest = since
    path = f"/responses?template_family_id={family['id']}"
    for row in pages(path + (f"&updated_since={since}" if since else "")):
        if row["kind"] == "answer":
            table[row["id"]] = row
        elif row["id"]:
            table.pop(row["id"], None)
        else:
            for answer in list(table.values()):
                if answer["inspection_id"] == row["inspection_id"]:
                    del table[answer["id"]]
        greatest = max(greatest, row["recorded_at"])
    since = greatest`,
      },
    },
    'An answer is in the table after the first reading:',
    {
      call: 'saveAnswers',
      path: { inspection_id: $('inspection.id') },
      body: { responses: [{ ...RAILS, value: 'fail' }] },
    },
    {
      code: {
        curl: `labels() { jq -r '.[] | .field_label + ": " + .label' <<< "$table"; }
refresh
labels`,
        typescript: `const labels = (): string[] => [...table.values()].map(({ field_label, label }) => \`\${field_label}: \${label}\`);
await refresh();
console.log(labels().join());`,
        python: `def labels():
    return [f"{row['field_label']}: {row['label']}" for row in table.values()]

refresh()
print(*labels())`,
      },
    },
    'The next requests send the greatest `recorded_at` of the rows as `updated_since`. It never goes back, even where the clock of a server does, and what was recorded at the same moment comes again, so no change is missed. When something in an inspection changes, all of its answers come again, because scores, results and hidden questions depend on other answers. Replace rows by their `id`:',
    {
      call: 'saveAnswers',
      path: { inspection_id: $('inspection.id') },
      body: { responses: [{ ...RAILS, value: 'pass' }] },
    },
    {
      code: {
        curl: `# A change appears within about a second.
until refresh; labels | grep --quiet Pass; do sleep 1; done
labels`,
        typescript: `// A change appears within about a second.
while (!labels().join().includes('Pass')) {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await refresh();
}
console.log(labels().join());`,
        python: `# A change appears within about a second.
while not any("Pass" in label for label in labels()):
    time.sleep(1)
    refresh()
print(*labels())`,
      },
    },
    'An answer that was cleared stays, with the value null. A row of the kind `deleted` names an answer that is gone, with its instance, or with `id` null all answers of an inspection that was deleted. Sums and rates by month, place or template need no table of your own: `GET /inspections/summary`, `/findings/summary` and `/corrective-actions/summary` have them with `group_by`.',
  ],
  prints: ['Complete and firm: Fail', 'Complete and firm: Pass'],
};

const offline: Chapter = {
  name: 'offline',
  title: 'Offline and two devices',
  whom: 'For those who build an app for inspectors without a network.',
  before: STARTED,
  steps: [
    'A device without a connection keeps its answers, each with a `client_mutation_id` of its own and with the time at which it was given. It sends them in one batch later, and repeats the request until it succeeds: an answer that was saved is not saved twice.',
    {
      call: 'saveAnswers',
      path: { inspection_id: $('inspection.id') },
      body: {
        responses: [
          {
            ...RAILS,
            value: 'pass',
            client_answered_at: '2026-03-02T09:31:05.000Z',
            client_mutation_id: 'tablet-4-000217',
          },
        ],
      },
      as: 'first',
    },
    'Each answer has a result of its own; one that is refused does not keep the others from being saved. A second device that says `expected_version: 0` means that there must be no answer yet. It is told that there is one, with the answer that is stored:',
    {
      call: 'saveAnswers',
      path: { inspection_id: $('inspection.id') },
      body: {
        responses: [
          {
            ...RAILS,
            value: 'fail',
            expected_version: 0,
            client_mutation_id: 'phone-1-000003',
          },
        ],
      },
      as: 'second',
    },
    {
      code: {
        curl: `jq -r '.results[].status' <<< "$first"
jq -r '.results[].status' <<< "$second"`,
        typescript: `for (const { status } of [...first.results, ...second.results]) console.log(status);`,
        python: `for result in first["results"] + second["results"]:
    print(result["status"])`,
      },
    },
    'Answers to different fields never overwrite each other. Before a device adds an instance to a section that repeats, it reserves an index with `POST /inspections/{inspection_id}/instances`, or names the instance by a `client_instance_id` of its own.',
  ],
  prints: ['saved', 'conflict'],
};

const acting: Chapter = {
  name: 'acting-for-members',
  title: 'Acting for members',
  whom: 'For those whose app is used by several people with one key.',
  before: PREPARED,
  steps: [
    'An app of your own can work for the people who use it. The key needs the right to act for members, and the member must have allowed it: `acting_consented_at` of the member says since when. Send `On-Behalf-Of` with the `user_id`; the member is then the caller, and the history names both.',
    { call: 'listAssignableMembers', query: { limit: 200 }, as: 'members' },
    {
      code: {
        curl: `person_user_id=$(jq -r 'map(select(.role == "inspector"))[0].user_id' <<< "$members")`,
        typescript: `const person = members.find(({ role }) => role === 'inspector')!;`,
        python: `person = next(member for member in members if member["role"] == "inspector")`,
      },
    },
    {
      call: 'selfCreateInspection',
      body: { template_family_id: $('family.id'), location_id: $('location.id') },
      onBehalfOf: $('person.user_id'),
      as: 'inspection',
    },
    {
      code: {
        curl: `jq --arg id "$person_user_id" '.participants[0].user_id == $id' <<< "$inspection"`,
        typescript: `console.log(inspection.participants[0]?.user_id === person.user_id);`,
        python: `print(str(inspection["participants"][0]["user_id"] == person["user_id"]).lower())`,
      },
    },
    'An operation that does not take the header refuses it (`on_behalf_not_taken`): the change would be recorded as that of the key. `403 acting_not_allowed` means that the member has not allowed it, or not any more.',
  ],
  prints: ['true'],
};

const errors: Chapter = {
  name: 'errors-and-retries',
  title: 'Errors and retries',
  whom: 'For everybody, before going live: what to send again, and what not.',
  steps: [
    'An error has a status, a text for logs in `detail`, and a code for programs in the header `X-Error-Code`. Decide by the code; texts may change.',
    {
      code: {
        curl: `curl --silent -o reply.json -D headers.txt -H "Authorization: Bearer $API_KEY" \\
  "$API/locations/019cade0-51c2-7000-8000-00000000000f"
tr -d '\\r' < headers.txt | sed -n 's/^x-error-code: //Ip'`,
        typescript: `import { isApiError } from 'inspection-service-client';
try {
  await api.getLocation({ path: { location_id: '019cade0-51c2-7000-8000-00000000000f' } });
} catch (error) {
  if (!isApiError(error, 'not_found')) throw error;
  console.log(error.code);
}`,
        python: `try:
    call("GET", "/locations/019cade0-51c2-7000-8000-00000000000f")
except urllib.error.HTTPError as error:
    print(error.headers["X-Error-Code"])`,
      },
    },
    'Repeat after a 429, a 500, a 503 and a lost connection, after a time that grows and is a little random. A GET, a PUT without a version and a DELETE can always be repeated. A POST can when it has an **idempotency key**: the second request gets the first reply, and nothing is done twice. Make the key before the first attempt.',
    {
      code: {
        curl: `key=crane-9-$RANDOM-$RANDOM
for attempt in 1 2; do
  call "$API/locations" -H "Idempotency-Key: $key" --retry 4 -d '{"name": "Crane 9"}' | jq -r .id
done | sort -u | wc -l | tr -d ' '`,
        typescript: `// The client makes a key for each call, and repeats the call with it. To repeat it later, choose one.
const headers = { 'Idempotency-Key': crypto.randomUUID() };
const ids = new Set<string>();
for (const attempt of [1, 2]) ids.add((await api.createLocation({ headers, body: { name: \`Crane 9\` } })).id);
console.log(ids.size);`,
        python: `key = {"Idempotency-Key": str(uuid.uuid4())}
print(len({call("POST", "/locations", {"name": "Crane 9"}, key)["id"] for attempt in (1, 2)}))`,
      },
    },
    'A PATCH, and whatever names a version, is not repeated blindly: read the resource first and see whether the change is there.',
  ],
  prints: ['not_found', '1'],
};

const limits: Chapter = {
  name: 'limits',
  title: 'Limits',
  whom: 'For those who send many requests, or large ones.',
  steps: [
    'A key may send 300 requests in a minute of the clock. The next one is a `429` with the code `rate_limit_exceeded`, until the next full minute; by the `Date` of the reply you know how long that is. The same status with `too_many_waiting` means that the organization has as many reports, exports, mails or syncs waiting as it may have: wait for one of them.',
    {
      code: {
        curl: `# Waits for the next minute of the service as long as there are too many requests.
patient() {
  while [ "$(curl --silent -o reply.json -D headers.txt -w '%{http_code}' \\
    -H "Authorization: Bearer $API_KEY" "$@")" = 429 ]; do
    sleep $(( 61 - $(date +%s) % 60 ))
  done
}
patient "$API/org"
jq -r .timezone reply.json > /dev/null && echo read`,
        typescript: `// The client waits by itself; it gives up after \`retries\` times.
await api.getOrganization({ retries: 3 });
console.log('read');`,
        python: `import email.utils, urllib.error

def patient(*args):
    """Waits for the next minute of the service as long as there are too many requests."""
    while True:
        try:
            return call(*args)
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise
            time.sleep(61 - email.utils.parsedate_to_datetime(error.headers["Date"]).second)

patient("GET", "/org")
print("read")`,
      },
    },
    'Bodies have at most 6 MB, files in a form 4 MiB, uploads 100 MB. Fewer requests are better than waiting: save answers in batches, read lists with filters, and follow events instead of asking for every resource.',
  ],
  prints: ['read'],
};

const paging: Chapter = {
  name: 'paging',
  title: 'Paging',
  whom: 'For those who read long lists.',
  steps: [
    'With `limit` (1 to 200) a list is one page, and its `Link` header leads to the next. Follow it until there is none; do not build a `cursor` yourself. Without `limit` the list is complete, which is for short lists.',
    { call: 'createClientAccount', body: { name: 'Port of Lisbon' }, as: 'lisbon' },
    { call: 'createClientAccount', body: { name: 'Port of Porto' } },
    { call: 'createClientAccount', body: { name: 'Port of Sines' } },
    {
      code: {
        curl: `next="$API/client-accounts?updated_since=$lisbon_updated_at&limit=2"
while [ -n "$next" ]; do
  call -D headers.txt "$next" | jq -r '.[].name'
  next=$(tr -d '\\r' < headers.txt | sed -n 's/^link: .*<\\([^>]*\\)>; rel="next".*/\\1/Ip')
  case "$next" in \\?*) next="$API/client-accounts$next" ;; esac
done | sort`,
        typescript: `const names: string[] = [];
const query = { updated_since: lisbon.updated_at, limit: 2 };
for await (const client of api.each.listClientAccounts({ query })) names.push(client.name);
console.log(names.toSorted().join('\\n'));`,
        python: `import re

${PAGES}

path = f"/client-accounts?updated_since={lisbon['updated_at']}&limit=2"
print("\\n".join(sorted(client["name"] for client in pages(path))))`,
      },
    },
    '`GET /locations` has `offset` instead of a cursor: add `limit` until a page has fewer rows.',
  ],
  prints: ['Port of Lisbon', 'Port of Porto', 'Port of Sines'],
};

const versions: Chapter = {
  name: 'versions',
  title: 'Versions and deprecation',
  whom: 'For those who keep an integration alive for years.',
  steps: [
    'A **resource** has a `version`, which grows with each change. Send it as `If-Match` (or `expected_version`), and your change is refused with `409` when somebody else was faster:',
    { call: 'createLocation', body: { name: 'Crane 10' }, as: 'location' },
    {
      code: {
        curl: `for name in 'Crane 10, north' 'Crane 10, south'; do
  curl --silent -o reply.json -w '%{http_code}\\n' -X PATCH "$API/locations/$location_id" \\
    -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
    -H 'If-Match: "1"' -d "{\\"name\\": \\"$name\\"}"
done`,
        typescript: `import { isApiError } from 'inspection-service-client';
for (const name of ['Crane 10, north', 'Crane 10, south'])
  try {
    await api.updateLocation({
      path: { location_id: location.id },
      headers: { 'If-Match': \`"\${location.version}"\` },
      body: { name },
    });
    console.log(200);
  } catch (error) {
    if (!isApiError(error)) throw error;
    console.log(error.status);
  }`,
        python: `for name in ("Crane 10, north", "Crane 10, south"):
    try:
        call("PATCH", f"/locations/{location['id']}", {"name": name}, {"If-Match": f'"{location["version"]}"'})
        print(200)
    except urllib.error.HTTPError as error:
        print(error.code)`,
      },
    },
    'The **API** grows without breaking: replies gain fields, enums gain values, and there are new operations, events and error codes. Ignore what you do not know, and have a default for an unknown value. Requests stay strict: an unknown field is a `422`, so a misspelt one is never lost. What is to go is announced in the changelog, works for at least twelve months more, and says so in the headers `Deprecation` and `Sunset` of its replies: log them.',
  ],
  prints: ['200', '409'],
};

const THURSDAYS = {
  rrule: 'FREQ=WEEKLY;BYDAY=TH',
  dtstart_local: '2031-04-24T09:00',
  timezone: 'Europe/Lisbon',
};

const schedules: Chapter = {
  name: 'schedules',
  title: 'Schedules',
  whom: 'For those whose inspections come again and again: rules, days off, exceptions.',
  before: PREPARED,
  steps: [
    'A **schedule** makes the inspections of a rule ([RFC 5545](https://www.rfc-editor.org/rfc/rfc5545)) some days ahead. Days off are a **calendar**, which several schedules can name; it takes an iCalendar file as well.',
    {
      call: 'createHolidayCalendar',
      body: { name: 'Portugal', dates: [{ date: '2031-05-01', name: 'Labour Day' }] },
      as: 'calendar',
    },
    'The **preview** takes the body of a schedule and creates nothing. Show it to people before they save, with its warnings: a rule on the 31st leaves out months.',
    {
      call: 'previewSchedule',
      body: {
        recurrence: THURSDAYS,
        calendar_id: $('calendar.id'),
        on_holiday: 'after',
        window: { due_after: 'PT8H' },
        count: 3,
      },
      as: 'preview',
    },
    { print: ['preview.description'] },
    {
      code: {
        curl: `jq -r '.occurrences[].starts_at' <<< "$preview"`,
        typescript: `for (const { starts_at } of preview.occurrences) console.log(starts_at);`,
        python: `for occurrence in preview["occurrences"]:
    print(occurrence["starts_at"])`,
      },
    },
    'The schedule itself says what is inspected where. `places` in place of `location_ids` would take all of a client, a region or a tag, also those that come later.',
    {
      call: 'createSchedule',
      body: {
        title: 'Cranes, weekly',
        template_family_id: $('family.id'),
        location_ids: [$('location.id')],
        recurrence: THURSDAYS,
        calendar_id: $('calendar.id'),
        on_holiday: 'after',
      },
      as: 'schedule',
    },
    'One date is left out, or held at another time, by an **override**. `next_occurrence_at` knows overrides, but not the calendar:',
    {
      call: 'createScheduleOverride',
      path: { schedule_id: $('schedule.id') },
      body: { occurrence_date: '2031-04-24', action: 'skip' },
    },
    { call: 'getSchedule', path: { schedule_id: $('schedule.id') }, as: 'now' },
    { print: ['now.status', 'now.next_occurrence_at'] },
    'What was due and nobody has started is the event `schedule.occurrence_missed`; `inspection.overdue` tells of those that have begun as well. `GET /inspection-schedules/calendar` shows what exists and what follows from the schedules, in one list for a calendar.',
  ],
  prints: [
    'every week on Thursday at 09:00, Europe/Lisbon',
    '2031-04-24T08:00:00.000Z',
    '2031-05-02T08:00:00.000Z',
    '2031-05-08T08:00:00.000Z',
    'active',
    '2031-05-01T08:00:00.000Z',
  ],
};

const devices: Chapter = {
  name: 'devices',
  title: 'Devices and their labels',
  whom: 'For those who inspect machines and rooms that have a history.',
  before: PREPARED,
  steps: [
    'What is inspected again and again is an **asset**: it has a number, a place and a history of its own. A **kind** (`POST /asset-kinds`) says what is known of each like it, in fields of the organization.',
    {
      call: 'createAsset',
      body: { name: 'Hook 3', serial: 'KX-4711', location_id: $('location.id') },
      as: 'asset',
    },
    'The **label** on it is a public link: whoever scans it reports an issue about this asset, without an account. Members and keys get its history there. The reply that makes the link is the only one that has its address. Issues have categories:',
    { call: 'listIssueCategories', as: 'categories' },
    {
      code: {
        curl: `category_id=$(jq -r '.[0].id // empty' <<< "$categories")
if [ -z "$category_id" ]; then
  category_id=$(call "$API/issue-categories" -d '{"name": "Hooks"}' | jq -r .id)
fi`,
        typescript: `const category = categories[0] ?? (await api.createIssueCategory({ body: { name: 'Hooks' } }));`,
        python: `category = categories[0] if categories else call("POST", "/issue-categories", {"name": "Hooks"})`,
      },
    },
    {
      call: 'createPublicLink',
      path: { category_id: $('category.id') },
      body: { asset_id: $('asset.id') },
      as: 'label',
    },
    {
      code: {
        curl: `curl --silent --show-error --fail -o label.png "$(jq -r .qr_url <<< "$label")"
head -c 4 label.png | tail -c 3; echo`,
        typescript: `const png = Buffer.from(await (await fetch(label.qr_url!)).arrayBuffer());
console.log(png.toString('latin1', 1, 4));`,
        python: `print(urllib.request.urlopen(label["qr_url"]).read()[1:4].decode())`,
      },
    },
    'An inspection, a finding, an action and an issue can name the asset, and the lists of all have the filter `asset_id`.',
    {
      call: 'createInspection',
      body: { template_family_id: $('family.id'), asset_id: $('asset.id') },
      as: 'inspection',
    },
    'When it is taken out of use, all that waits for it ends with it, and the reply says what that was:',
    {
      call: 'decommissionAsset',
      path: { asset_id: $('asset.id') },
      body: { reason: 'Worn' },
      as: 'ended',
    },
    { print: ['ended.status'] },
    {
      code: {
        curl: `jq --arg id "$inspection_id" '.ended_inspection_ids == [$id]' <<< "$ended"`,
        typescript: `console.log(ended.ended_inspection_ids[0] === inspection.id);`,
        python: `print(str(ended["ended_inspection_ids"] == [inspection["id"]]).lower())`,
      },
    },
    'A label that is printed has no end: it works until it is revoked, or the asset is decommissioned.',
  ],
  prints: ['PNG', 'decommissioned', 'true'],
};

const numbers: Chapter = {
  name: 'numbers',
  title: 'Numbers for BI',
  whom: 'For those who build dashboards from sums.',
  before: STARTED,
  steps: [
    'What a dashboard shows is counted by the service: ask for the sums, and not for all rows. `group_by` takes up to three dimensions, `from` and `to` are months, in the time zone of each location. `format=csv` makes the same a file.',
    {
      call: 'saveAnswers',
      path: { inspection_id: $('inspection.id') },
      body: { responses: [{ ...RAILS, value: 'fail' }] },
    },
    { call: 'advanceInspection', path: { inspection_id: $('inspection.id') }, body: {}, as: 'completed' },
    'The numbers follow all changes within seconds: `as_of` says until when all changes are in them.',
    {
      code: {
        curl: `while :; do
  numbers=$(call "$API/inspections/summary?group_by=template_family&group_by=month&template_family_id=$family_id")
  jq -e --arg at "$completed_updated_at" '.as_of > $at' <<< "$numbers" > /dev/null && break
  sleep 1
done
jq -r '.groups[] | "\\(.by.template_family.name): \\(.numbers.completed)"' <<< "$numbers"`,
        typescript: `const query = {
  group_by: ['template_family', 'month'] as ('template_family' | 'month')[],
  template_family_id: [family.id],
};
let numbers = await api.summarizeInspections({ query });
while (!(numbers.as_of! > completed.updated_at)) {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  numbers = await api.summarizeInspections({ query });
}
for (const { by, numbers: group } of numbers.groups!)
  console.log(\`\${by.template_family!.name}: \${group.completed}\`);`,
        python: `path = f"/inspections/summary?group_by=template_family&group_by=month&template_family_id={family['id']}"
numbers = call("GET", path)
while numbers["as_of"] <= completed["updated_at"]:
    time.sleep(1)
    numbers = call("GET", path)
for group in numbers["groups"]:
    print(f"{group['by']['template_family']['name']}: {group['numbers']['completed']}")`,
      },
    },
    'Findings and corrective actions have their own numbers, `GET /findings/summary` and `GET /corrective-actions/summary`, with all filters of their lists. Grouped by `field`, findings also tell how often each question was answered and has failed. For single answers there is the feed of [Answers for BI](answers-for-bi).',
    {
      code: {
        curl: `call "$API/findings/summary?template_family_id=$family_id&origin=auto" | jq .totals.findings`,
        typescript: `const { totals } = await api.summarizeFindings({ query: { template_family_id: [family.id], origin: 'auto' } });
console.log(totals.findings);`,
        python: `findings = call("GET", f"/findings/summary?template_family_id={family['id']}&origin=auto")
print(findings["totals"]["findings"])`,
      },
    },
  ],
  prints: ['Tower crane, weekly: 1', '1'],
};

const keysAndScopes: Chapter = {
  name: 'keys-and-scopes',
  title: 'Keys and scopes',
  whom: 'For everybody who makes a key: what it may do, and how its secret is changed.',
  steps: [
    'A key belongs to the organization, not to a person. An admin makes it in the app, at *API keys*, and sees it once. It is `read_only` or `read_write`, and can be limited to some areas (**scopes**) and to some networks, and to an end. Give each integration a key of its own, with what it needs and no more: what it did stands under its name in every history.',
    'A key can ask what it is:',
    { call: 'getMyProfile', as: 'me' },
    {
      code: {
        curl: `jq -r '.kind, .key.access' <<< "$me"`,
        typescript: `if (me.kind === 'api_key') console.log(\`\${me.kind}\\n\${me.key.access}\`);`,
        python: `print(me["kind"], me["key"]["access"], sep="\\n")`,
      },
    },
    'A request outside the scopes is a `403` with the code `api_key_scope`, whose `detail` names the scope that is missing; from another network it is `api_key_network`. A key with scopes gets of an event only what it could read: for a thing of another area the type, the id and the time.',
    '**Rotation** makes a new secret for the same key, in the app or with `operator key rotate`. The former one works on for as long as `overlap` says: put the new one in place meanwhile. A key that somebody else has seen is revoked, which takes effect with the next request.',
    'Webhooks stay when a key is rotated or revoked: their secrets are their own.',
  ],
  prints: ['api_key', 'read_write'],
};

/** The chapters of the reference, in the order in which they are read. */
export const CHAPTERS: readonly Chapter[] = [
  firstInspection,
  keysAndScopes,
  files,
  schedules,
  devices,
  webhooks,
  copy,
  answersForBi,
  numbers,
  offline,
  acting,
  errors,
  limits,
  paging,
  versions,
];
