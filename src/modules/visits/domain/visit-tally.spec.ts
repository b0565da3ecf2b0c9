import { describe, expect, it } from '@jest/globals';
import { HOSTNAMES_PER_HOUR_MAX, VisitTally } from './visit-tally.js';
import type { Visit } from './visit.js';

const NOW = new Date('2026-11-20T10:59:58.500Z');
const LATER = new Date('2026-11-20T11:00:00Z');
const visit = (fields: Partial<Visit> = {}): Visit => ({
  hostname: 'www.example.com',
  region: 'FR',
  language: 'fr',
  device: 'phone',
  banner: 'none',
  ...fields,
});

describe(VisitTally.name, () => {
  it('adds views up by hour and each thing that is known of them', () => {
    const tally = new VisitTally();
    tally.count('a', visit(), NOW);
    tally.count('a', visit({ banner: 'chosen', region: 'DE' }), NOW);
    tally.count('a', visit({ banner: 'ignored' }), LATER);
    const rows = tally.take(LATER);
    const of = (dimension: string): unknown[] =>
      rows
        .filter((row) => row.dimension === dimension)
        .map(({ at, name, visits, chosen, ignored }) => [at.getUTCHours(), name, visits, chosen, ignored]);
    expect(of('device')).toEqual([
      [10, 'phone', 2, 1, 0],
      [11, 'phone', 1, 0, 1],
    ]);
    expect(of('region')).toEqual([
      [10, 'DE', 1, 1, 0],
      [10, 'FR', 1, 0, 0],
      [11, 'FR', 1, 0, 1],
    ]);
    expect(rows[0]?.lastSeenAt).toEqual(NOW);
  });

  it('is taken once, and keeps nothing of an hour that is over', () => {
    const tally = new VisitTally();
    tally.count('a', visit(), NOW);
    expect(tally.take(NOW)).toHaveLength(4);
    expect(tally.take(NOW)).toEqual([]);
    expect(tally.size).toBe(4);
    expect(tally.take(LATER)).toEqual([]);
    expect(tally.size).toBe(0);
  });

  it('counts a decision once in two writes of an hour', () => {
    const tally = new VisitTally();
    tally.count('a', visit({ banner: 'ignored' }), NOW);
    tally.count('a', visit({ banner: 'chosen' }), NOW);
    const devicesOf = (rows: ReturnType<VisitTally['take']>) =>
      rows.filter(({ dimension }) => dimension === 'device');
    expect(devicesOf(tally.take(NOW))).toMatchObject([{ visits: 2, chosen: 1, ignored: 1 }]);
    tally.count('a', visit(), NOW);
    expect(devicesOf(tally.take(NOW))).toMatchObject([{ visits: 1, chosen: 0, ignored: 0 }]);
  });

  it('names so many hosts in an hour, however often it is taken, and counts the others together', () => {
    const tally = new VisitTally();
    for (let at = 0; at < HOSTNAMES_PER_HOUR_MAX + 2; at++) {
      tally.count('a', visit({ hostname: `h${at}.example.com` }), NOW);
      tally.take(NOW);
    }
    tally.count('a', visit({ hostname: 'another.example.com' }), NOW);
    tally.count('a', visit({ hostname: 'h1.example.com' }), NOW);
    tally.count('b', visit({ hostname: 'another.example.com' }), NOW);
    const hosts = tally.take(NOW).filter(({ dimension }) => dimension === 'hostname');
    expect(hosts.map(({ projectId, name, visits }) => [projectId, name, visits])).toEqual([
      ['a', '*', 1],
      ['a', 'h1.example.com', 1],
      ['b', 'another.example.com', 1],
    ]);
  });

  it('refuses a view for which there is no room, as a whole', () => {
    const tally = new VisitTally(8);
    expect(tally.count('a', visit(), NOW)).toBe(true);
    expect(tally.count('b', visit(), NOW)).toBe(true);
    expect(tally.count('c', visit(), NOW)).toBe(false);
    expect(tally.take(LATER)).toHaveLength(8);
    expect(tally.count('c', visit(), LATER)).toBe(true);
  });

  it('merges the names of the project with the most counts when the room is full, and loses no visit', () => {
    const tally = new VisitTally(40);
    const hosts = Array.from({ length: 60 }, (_, at) => `h${at}.example.com`);
    expect(tally.count('quiet', visit(), NOW)).toBe(true);
    for (const hostname of hosts) expect(tally.count('busy', visit({ hostname }), NOW)).toBe(true);
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h'])
      expect(tally.count(name, visit(), NOW)).toBe(true);
    expect(tally.size).toBeLessThanOrEqual(40);
    const rows = tally.take(NOW);
    const hostsOf = (id: string) =>
      rows.filter((row) => row.projectId === id && row.dimension === 'hostname');
    expect(hostsOf('quiet').map(({ name }) => name)).toEqual(['www.example.com']);
    expect(hostsOf('busy').reduce((sum, { visits }) => sum + visits, 0)).toBe(hosts.length);
    expect(hostsOf('busy').map(({ name }) => name)).toContain('*');
  });

  it('takes back what could not be written, and says what found no room', () => {
    const tally = new VisitTally(8);
    tally.count('a', visit({ banner: 'chosen' }), NOW);
    const rows = tally.take(LATER);
    tally.count('a', visit(), NOW);
    expect(tally.giveBack(rows)).toBe(0);
    expect(tally.take(NOW).find(({ dimension }) => dimension === 'device')).toMatchObject({
      visits: 2,
      chosen: 1,
    });
    tally.count('b', visit(), NOW);
    tally.count('b', visit(), LATER);
    const others = rows.map((row) => ({ ...row, projectId: 'c', visits: 3 }));
    expect(tally.giveBack(others)).toBe(3);
    expect(tally.size).toBe(8);
  });
});
