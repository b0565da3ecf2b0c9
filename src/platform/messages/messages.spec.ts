import { expect, it } from '@jest/globals';
import { translator } from './messages.js';

const english = translator('en', 'scans', 'scan-report');
const german = translator('de', 'scans', 'scan-report');

it('reads messages without arguments', () => {
  expect(english('scans.reasons.time_limit')).toBe(
    'The scan reached its time limit before all pages were visited.',
  );
  expect(german('scans.reasons.time_limit')).toBe(
    'Der Scan hat sein Zeitlimit erreicht, bevor alle Seiten besucht waren.',
  );
});

it('formats arguments by the rules of the language', () => {
  expect([1, 1_204].map((days) => english('report.days', { days }))).toEqual(['1 day', '1,204 days']);
  expect([1, 1_204].map((days) => german('report.days', { days }))).toEqual(['1 Tag', '1.204 Tage']);
  expect(english('report.driver', { driver: 'own' })).toBe('in our banner');
  expect(english('report.driver', { driver: 'Cookiebot' })).toBe('in Cookiebot');
});

it('leaves the syntax of messages in values alone', () => {
  expect(english('report.title', { host: "{x} <b>'#" })).toBe("Scan report: {x} <b>'#");
});

it('refuses keys and arguments that the message lacks', () => {
  // @ts-expect-error: no such key
  expect(() => english('scans.reasons.unheard_of')).toThrow('No message scans.reasons.unheard_of');
  // @ts-expect-error: no argument
  expect(() => english('report.title')).toThrow('host');
});
