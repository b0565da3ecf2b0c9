import { describe, expect, it } from '@jest/globals';
import { grantedServices } from '../../loader/service-grants.js';

const SERVICES = [
  ['matomo', 'analytics'],
  ['meta', 'marketing'],
  ['ads', 'marketing'],
] as const;
const ALL = { analytics: true, marketing: true };
const grants = (choice: object) => grantedServices(choice, SERVICES);

describe('grantedServices', () => {
  it('are those of their categories without a choice by service', () => {
    expect(grants(ALL)).toEqual({ matomo: true, meta: true, ads: true });
    expect(grants({ analytics: true })).toEqual({ matomo: true, meta: false, ads: false });
    expect(grants({})).toEqual({ matomo: false, meta: false, ads: false });
  });

  it('are as chosen, and refused if they were not offered', () => {
    const prompt = 'analytics,marketing,matomo,meta,1';
    expect(grants({ analytics: true, services: { matomo: true, meta: true }, prompt })).toEqual({
      matomo: true,
      meta: true,
      ads: false,
    });
    expect(grants({ ...ALL, prompt })).toEqual({ matomo: true, meta: true, ads: false });
    expect(grants({ ...ALL, prompt: 'analytics,marketing,1' })).toEqual({
      matomo: false,
      meta: false,
      ads: false,
    });
  });

  it('follow the category where the choice is older than the ids', () => {
    expect(grants({ ...ALL, prompt: 'analytics,marketing,0a1b2c3d,1' })).toEqual({
      matomo: true,
      meta: true,
      ads: true,
    });
  });

  it('take nothing but true and false for a choice', () => {
    expect(grantedServices({ services: { constructor: 1 } }, [['constructor', 'analytics']])).toEqual({
      constructor: false,
    });
  });
});
