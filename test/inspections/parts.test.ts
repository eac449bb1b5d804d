import type { InspectionDocument } from '../../shared/schemas/inspections/parts.ts';
import { answering, newDocument, PHOTO, saved } from '../answers/fixtures.ts';
import { attach, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newPerson } from '../support/people.ts';

test('GET /inspections/{inspection_id} includes parts, and its documents say where they hang', async () => {
  const person = await newPerson('Archivist');
  const inspection = await answering(person);
  const params = { inspection_id: inspection.id };
  const [north, south, unused] = [
    await newDocument(person),
    await newDocument(person),
    await newDocument(person),
  ];
  await saved(person, inspection, { field_id: PHOTO, value: [{ document_id: north, caption: 'North' }] });
  const media = [{ document_id: north, caption: 'Again' }];
  const finding = await newFinding(person, { content: { media } }, inspection);
  const action = await newAction(person, {}, finding);
  await attach(person, action, south);

  const documents = await person.inspections.listDocuments({ params });
  const places = documents.map((one: InspectionDocument) => [one.id, one.places]);
  expect(places).toMatchObject([
    [
      north,
      [
        { kind: 'answer', field_id: PHOTO, caption: 'North', finding_id: null },
        { kind: 'finding', finding_id: finding.id, caption: 'Again' },
      ],
    ],
    [south, [{ kind: 'corrective_action', corrective_action_id: action.id, stage: 'after' }]],
  ]);
  expect(JSON.stringify(documents)).not.toContain(unused);

  const query = { include: ['responses', 'findings', 'corrective_actions', 'documents'] };
  const whole = await person.inspections.get({ params, query });
  expect(whole).toMatchObject({
    id: inspection.id,
    responses: [{ field_id: PHOTO }],
    findings: [{ id: finding.id }],
    corrective_actions: [{ id: action.id }],
    documents,
  });
  expect(await person.inspections.get({ params })).not.toHaveProperty('findings');
});
