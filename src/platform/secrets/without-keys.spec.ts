import { describe, expect, it } from '@jest/globals';
import { withoutKeys } from './without-keys.js';

describe(withoutKeys.name, () => {
  it.each([
    ['Invalid API Key provided: sk_live_51Habc***********wxyz', 'Invalid API Key provided: sk_live_…'],
    ['Expired API Key provided: rk_test_51Habc.', 'Expired API Key provided: rk_test_….'],
    ['the secret whsec_abcdef and the key ck_Abc-def_1', 'the secret whsec_… and the key ck_…'],
    ['No such subscription: sub_1234', 'No such subscription: sub_1234'],
    ['task_force and risk_assessment stay', 'task_force and risk_assessment stay'],
  ])('%s', (sentence, expected) => {
    expect(withoutKeys(sentence)).toBe(expected);
  });
});
