import { describe, expect, it } from '@jest/globals';
import { readRobots, type RobotsResponse } from './robots.js';

const FILE = 'https://shop.example/robots.txt';
const AGENT = 'Service-Scanner';

const read = (text: string, status = 200) => readRobots(FILE, { kind: 'response', status, text }, AGENT);
const refusal = (text: string, path: string) => read(text).refusalOf(`https://shop.example${path}`);

describe('a robots.txt', () => {
  it.each([
    ['User-agent: *\nDisallow: /private', '/private/a', 'robots_denied'],
    ['User-agent: *\nDisallow: /private', '/public', null],
    ['User-agent: *\nDisallow: /', '/', 'robots_denied'],
    ['User-agent: *\nDisallow:', '/', null],
    ['User-agent: *\nDisallow: /a\nAllow: /a/open', '/a/open/1', null],
    ['User-agent: *\nDisallow: /*.pdf$', '/a.pdf', 'robots_denied'],
    ['User-agent: *\nDisallow: /*.pdf$', '/a.pdf.html', null],
    // The scanner's own group replaces that of all agents.
    ['User-agent: *\nDisallow: /\n\nUser-agent: Service-Scanner\nDisallow: /x', '/a', null],
    ['User-agent: *\nDisallow: /\n\nUser-agent: Service-Scanner\nDisallow: /x', '/x', 'robots_denied'],
    ['User-agent: service-scanner/1.0\nDisallow: /', '/', 'robots_denied'],
    // Groups of others do not count, also where they share lines with ours.
    ['User-agent: Other\nDisallow: /', '/', null],
    ['User-agent: Other\nUser-agent: Service-Scanner\nDisallow: /x', '/x', 'robots_denied'],
    ['User-agent: Other\nDisallow: /x\nUser-agent: Third\nDisallow: /', '/y', null],
    ['<html>Not found</html>', '/', null],
  ])('%j: %s is %s', (text, path, expected) => {
    expect(refusal(text, path)).toBe(expected);
  });

  it.each([
    ['3', 3_000],
    ['0.5', 500],
    ['10', 10_000],
    ['11', 10_000],
    ['86400', 10_000],
    ['-1', 0],
    ['soon', 0],
  ])('with Crawl-delay: %s waits %d ms', (delay, expected) => {
    expect(read(`User-agent: *\nCrawl-delay: ${delay}`).delayMs).toBe(expected);
  });

  it('names at most 20 sitemaps', () => {
    const lines = Array.from({ length: 21 }, (_, at) => `Sitemap: https://shop.example/${at}.xml`);
    expect(read(lines.join('\n')).sitemaps).toHaveLength(20);
  });

  // Both texts would keep a reader that compares everything with everything busy until the test is stopped.
  it('with ten thousand agents and rules is read', () => {
    const agents = Array.from({ length: 20_000 }, (_, at) => `User-agent: a${at}`);
    const rules = Array.from({ length: 10_000 }, (_, at) => `Disallow: /${at}`);
    expect(refusal([...agents, ...rules].join('\n'), '/')).toBeNull();
  });

  it('with patterns that are slow to match ends as unavailable, not as an endless scan', () => {
    const slow = `Disallow: /${'*a'.repeat(2_000)}b`;
    const robots = read(`User-agent: *\n${Array.from({ length: 120 }, () => slow).join('\n')}`);
    const refusals = Array.from({ length: 2_000 }, (_, at) =>
      robots.refusalOf(`https://shop.example/${'a'.repeat(900)}${at}`),
    );
    expect(refusals.at(-1)).toBe('robots_unavailable');
  });
});

describe('a request for it that ended with', () => {
  const response = (status: number): RobotsResponse => ({
    kind: 'response',
    status,
    text: 'User-agent: *\nDisallow: /',
  });

  it.each<[string, RobotsResponse, string | null]>([
    ['200', response(200), 'robots_denied'],
    ['404', response(404), null],
    ['403', response(403), null],
    ['429', response(429), 'robots_unavailable'],
    ['500', response(500), 'robots_unavailable'],
    ['503', response(503), 'robots_unavailable'],
    ['too many redirects', { kind: 'too_many_redirects' }, null],
    ['no connection', { kind: 'unreachable' }, null],
    ['no response', { kind: 'failed' }, 'robots_unavailable'],
  ])('%s', (_, given, expected) => {
    expect(readRobots(FILE, given, AGENT).refusalOf('https://shop.example/')).toBe(expected);
  });
});
