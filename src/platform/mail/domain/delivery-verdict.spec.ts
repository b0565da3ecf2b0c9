import { describe, expect, it } from '@jest/globals';
import { judgeFault } from './delivery-verdict.js';

const rcpt = (responseCode: number, response = ''): Parameters<typeof judgeFault>[0] => ({
  code: 'EENVELOPE',
  command: 'RCPT TO',
  responseCode,
  response,
});

describe(judgeFault.name, () => {
  it.each([
    [499, 'retry'],
    [500, 'refused'],
    [550, 'refused'],
    [503, 'retry'],
    [421, 'retry'],
  ])('a %d to the addressee: %s', (status, kind) => {
    expect(judgeFault(rcpt(status)).kind).toBe(kind);
  });

  it('tells status and step, and nothing of what the server says of the addressee', () => {
    expect(judgeFault(rcpt(550, '550 5.1.1 <ada@example.com>: unknown'))).toEqual({
      kind: 'refused',
      sentence: 'The mail server rejected the email: 550 5.1.1 to RCPT TO.',
    });
    expect(judgeFault(rcpt(451, '451 ada@example.com is greylisted'))).toEqual({
      kind: 'retry',
      sentence: 'The mail server deferred the email: 451 to RCPT TO.',
    });
  });

  it('waits for an operator where the password is wrong, although that is a 535', () => {
    expect(judgeFault({ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 })).toEqual({
      kind: 'retry',
      sentence: 'The mail server rejected the user or password of MAIL_URL: 535.',
    });
  });

  it.each(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ETLS', 'EABORT', undefined])(
    'tries again after %p',
    (code) => {
      expect(judgeFault({ code }).kind).toBe('retry');
    },
  );
});
