import { describe, expect, it } from '@jest/globals';
import { type OutboxMessage, projectOf } from './outbox-message.js';

describe(projectOf.name, () => {
  const message = (projectId: string | null): OutboxMessage =>
    ({ id: 7, topic: 'consent.recorded', projectId }) as OutboxMessage;

  it('is the project that the message names', () => {
    expect(projectOf(message('01a1fec8-570f-715b-b2b3-e89dce8cae7b'))).toBe(
      '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
    );
  });

  it('is a bug where it names none', () => {
    expect(() => projectOf(message(null))).toThrow('message 7 of consent.recorded names no project');
  });
});
