import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { arrived, bodyOf, idsAt, OTHER_TOKEN, startForwarding } from '../support/people/forwarding.js';
import { CHOICE, read, saveForwarding, settled, TOKEN } from '../support/programs/pipeline.js';

const forwarding = await startForwarding({ worker: true });
const {
  announcedIds,
  choose,
  chooseAndArrive,
  forward,
  forwardOne,
  forwardingProject,
  forwardingTo,
  put,
  receive,
  service,
  sharedReceiver,
} = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

describe('a saved record arrives at the receiver (spec §4.1, §2.1, §6)', () => {
  it('with the body and the headers of the tables, and nothing else', async () => {
    const receiver = await receive();
    const project = await forwardingTo(`${receiver.url}?a=1`);
    const receipt = await choose(project.id, {
      policyVersion: '2026-11',
      regions: ['eu', { a: 1 }],
    });
    expect(receipt).toMatchObject({ status: 201, duplicate: false });
    const request = await arrived(receiver, receipt.id);
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1' });
    expect(request.headers).toEqual({
      authorization: `Bearer ${TOKEN}`,
      'x-service-project-id': project.id,
      'x-service-consent-id': receipt.id,
      'user-agent': 'Service-Consent-Forwarder/1.0',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request.body)),
      'accept-encoding': 'identity',
      'webhook-id': receipt.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
    });
    expect(bodyOf(request)).toEqual({
      schemaVersion: 1,
      id: receipt.id,
      projectId: project.id,
      ...CHOICE,
      receivedAt: receipt.receivedAt,
      policyVersion: '2026-11',
      regions: ['eu', { a: 1 }],
    });
    expect(await settled(project, receipt.id)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
    expect(await read(project, `/consents/${receipt.id}`)).toMatchObject({
      id: receipt.id,
      delivery: { outcome: 'delivered', consentId: receipt.id },
    });
  });

  it.each([
    ['analytics', { analytics: true, marketing: false, preferences: false }],
    ['marketing', { analytics: false, marketing: true, preferences: false }],
    ['preferences', { analytics: false, marketing: false, preferences: true }],
    ['action', { action: 'a_word.of:our-own' }],
    ['additional fields', { text: 'ü 😀 "\\', number: -1.5e-7, yes: true, none: null, deep: [{ a: [1] }] }],
  ])('spec §2.1, row "%s": as it was given', async (_, fields) => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    expect(bodyOf(await chooseAndArrive(project, receiver, fields))).toMatchObject(fields);
  });

  it('spec §4.1, row "Authorization": present only in the mode "Bearer token"', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${TOKEN}`);
    await saveForwarding(project, { endpointUrl: receiver.url, authMode: 'none' });
    expect((await chooseAndArrive(project, receiver)).headers).not.toHaveProperty('authorization');
    await saveForwarding(project, { endpointUrl: receiver.url });
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('spec §4.1: a record of every project carries its own ids', async () => {
    const receiver = await receive();
    const projects = await Promise.all([1, 2, 3].map(() => forwardingTo(receiver.url)));
    for (const project of projects) {
      const request = await chooseAndArrive(project, receiver);
      expect(request.headers['x-service-project-id']).toBe(project.id);
      expect(bodyOf(request)).toMatchObject({
        projectId: project.id,
        id: request.headers['x-service-consent-id'],
      });
    }
  });

  it('spec §4.1: keeps the id that the banner made', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    const id = newId();
    await choose(project.id, { id: id.toUpperCase() });
    expect(bodyOf(await arrived(receiver, id))).toMatchObject({ id });
  });

  it('by name, at the address that was judged', async () => {
    const receiver = await receive(undefined, { hosts: ['consents.example.com'] });
    const project = await forwardingTo(`https://consents.example.com:${receiver.port}/hook`);
    const request = await chooseAndArrive(project, receiver);
    expect(request.headers.host).toBe(`consents.example.com:${receiver.port}`);
  });

  it('once, however often the same decision is sent', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    const id = newId();
    const first = await choose(project.id, { id });
    const others = await Promise.all(Array.from({ length: 8 }, () => choose(project.id, { id })));
    expect([first, ...others].map(({ status }) => status).toSorted()).toEqual([...Array(8).fill(200), 201]);
    await settled(project, id);
    const after = await choose(project.id, { id });
    expect(after).toMatchObject({ status: 200, duplicate: true });
    await chooseAndArrive(project, receiver);
    expect(idsAt(receiver).filter((seen) => seen === id)).toHaveLength(1);
    expect((await announcedIds(project.id)).filter((seen) => seen === id)).toHaveLength(1);
  });
});

describe('the request to the receiver (spec §4.1, §2.1)', () => {
  it('is a POST of the record, with header names spelled as in the table', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id, { extra: { country: 'DE', tags: ['a'] } });
    await forward([messageAbout(project.id, consentId)]);
    expect(sharedReceiver.requests).toHaveLength(1);
    const [request] = sharedReceiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request?.rawHeaders).toEqual(
      expect.arrayContaining(['Authorization', 'X-Service-Project-Id', 'X-Service-Consent-Id']),
    );
    expect(JSON.parse(request?.body ?? '')).toEqual({
      schemaVersion: 1,
      id: consentId,
      projectId: project.id,
      analytics: true,
      marketing: false,
      preferences: true,
      action: 'custom',
      hostname: 'www.example.com',
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      country: 'DE',
      tags: ['a'],
    });
  });

  it('carries no Authorization in the mode "No auth"', async () => {
    const project = await forwardingProject({ authMode: 'none', bearerToken: undefined });
    await forwardOne(project);
    expect(sharedReceiver.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('lets no additional field take the place of a known one', async () => {
    const project = await forwardingProject();
    const extra = { projectId: 'x', analytics: 'x', schemaVersion: 9, receivedAt: 'x', hostname: 'x' };
    await forwardOne(project, { extra, hostname: null });
    expect(JSON.parse(sharedReceiver.requests[0]?.body ?? '')).toMatchObject({
      schemaVersion: 1,
      projectId: project.id,
      analytics: true,
      hostname: null,
    });
  });

  it('uses the new token after a rotation', async () => {
    const project = await forwardingProject();
    await put(project, { bearerToken: OTHER_TOKEN });
    await forwardOne(project);
    expect(sharedReceiver.requests[0]?.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it.each([43, 4096])('carries a token of %d characters', async (length) => {
    const bearerToken = 'z'.repeat(length);
    await forwardOne(await forwardingProject({ bearerToken }));
    expect(sharedReceiver.requests[0]?.headers.authorization).toBe(`Bearer ${bearerToken}`);
  });
});
