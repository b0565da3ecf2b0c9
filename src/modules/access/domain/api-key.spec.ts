import { describe, expect, it } from '@jest/globals';
import { findSecret, hashOfKey } from './api-key.js';

const NOW = new Date('2026-11-23T09:00:00Z');
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
const ROTATED = {
  keyHash: hashOfKey('ck_new'),
  createdBy: 'founder',
  expiresAt: null,
  formerKeyHash: hashOfKey('ck_old'),
  formerCreatedBy: 'second',
  formerValidUntil: at(1),
};

describe('findSecret', () => {
  it('gives each secret to the member who made it', () => {
    expect(findSecret(ROTATED, hashOfKey('ck_new'), NOW)).toEqual({ madeBy: 'founder', endsAt: null });
    expect(findSecret(ROTATED, hashOfKey('ck_old'), NOW)).toEqual({ madeBy: 'second', endsAt: at(1) });
    expect(findSecret(ROTATED, hashOfKey('ck_other'), NOW)).toBeNull();
  });

  it('ends the former secret at its instant, and both with the key', () => {
    const old = hashOfKey('ck_old');
    expect(findSecret({ ...ROTATED, formerValidUntil: NOW }, old, NOW)).toBeNull();
    expect(findSecret({ ...ROTATED, formerValidUntil: at(9), expiresAt: at(5) }, old, NOW)).toEqual({
      madeBy: 'second',
      endsAt: at(5),
    });
    for (const key of ['ck_new', 'ck_old'])
      expect(findSecret({ ...ROTATED, expiresAt: NOW }, hashOfKey(key), NOW)).toBeNull();
  });

  it('knows no former secret of a key that was never rotated', () => {
    expect(findSecret({ keyHash: hashOfKey('ck_new') }, hashOfKey('ck_old'), NOW)).toBeNull();
    expect(findSecret({ keyHash: hashOfKey('ck_new') }, hashOfKey('ck_new'), NOW)).toEqual({
      madeBy: null,
      endsAt: null,
    });
  });
});
