import { describe, expect, it } from '@jest/globals';
import { normalizedMailbox } from './mailbox.js';

describe(normalizedMailbox.name, () => {
  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    ['ada+1@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['a.da@example.com', 'a.da@example.com'],
  ])('of %s is %s', (address, mailbox) => {
    expect(normalizedMailbox(address)).toBe(mailbox);
  });
});
