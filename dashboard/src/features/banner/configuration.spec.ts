import { describe, expect, it } from '@jest/globals';
import { partOfField } from './configuration.js';

describe('partOfField', () => {
  it.each([
    ['texts.0.title', 'texts'],
    ['policyUrl', 'texts'],
    ['texts.1.categories.0.title', 'offer'],
    ['services.0.cookies.2.name', 'offer'],
    ['banner.accent', 'look'],
    ['regionRules.0.regions.0', 'rules'],
    ['policyVersion', 'rules'],
  ])('%s is under %s', (field, part) => {
    expect(partOfField(field)).toBe(part);
  });
});
