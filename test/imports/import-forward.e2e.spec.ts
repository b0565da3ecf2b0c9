import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { arrived, startForwarding } from '../support/people/forwarding.js';
import { importFile, monthsAgo, useService } from '../support/people/import.js';
import type { TestProject } from '../support/people/project.js';

const forwarding = await startForwarding({ worker: true });
const { choose, forwardingTo, proProject, receive, service } = forwarding;

const GIVEN = monthsAgo(3);
const file = (...ids: string[]): string =>
  ['id,givenAt,analytics,marketing,preferences', ...ids.map((id) => `${id},${GIVEN},true,false,true`)].join(
    '\n',
  );

/** The record of an id in the other product. */
async function recordOf(project: TestProject, originalId: string): Promise<{ id: string }> {
  const response = await project.request('viewer', 'GET', `/consents?originalId=${originalId}`);
  const [record] = ((await response.json()) as { items: { id: string }[] }).items;
  if (!record) throw new Error(`no record of ${originalId}`);
  return record;
}

beforeAll(() => useService(service.baseUrl));
afterAll(forwarding.close);

describe('imported records and forwarding', () => {
  it('are forwarded where the start requests it, and only then', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    expect(await importFile(project, file('kept-here'))).toMatchObject({ state: 'finished', stored: 1 });
    expect(await importFile(project, file('sent'), { forward: true })).toMatchObject({ stored: 1 });
    const { id } = await recordOf(project, 'sent');
    const request = await arrived(receiver, id);
    const body = JSON.parse(request.body) as object;
    expect(body).toMatchObject({ id, analytics: true, marketing: false, preferences: true });
    // The mark is a column of ours: receivers know `source` and such names as additional fields.
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['importId']));
    // A later choice is sent after all that was queued before it.
    const { id: later } = await choose(project.id);
    await arrived(receiver, later);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(
      [id, later].toSorted(),
    );
  });

  it('an export names the import, the original id and the time of the consent', async () => {
    const project = await proProject();
    const { id: importId } = await importFile(project, file('c-1'));
    const { id: own } = await choose(project.id);
    const response = await project.request('viewer', 'GET', '/consents/export?format=csv');
    const rows = parse(await response.text(), { columns: true }) as Record<string, string>[];
    expect(rows.map(({ givenAt, importId: of, originalId }) => [givenAt, of, originalId])).toEqual([
      [GIVEN, importId, 'c-1'],
      ['', '', ''],
    ]);
    expect(rows[1]).toMatchObject({ id: own });
  });
});
