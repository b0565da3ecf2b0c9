import { describe, expect, it } from '@jest/globals';
import type { EventTypeResponse } from '../../client/types.gen';
import { typeGroups } from './type-groups';

const entry = (type: string) =>
  ({ type, group: type.split('.')[0] }) as Pick<EventTypeResponse, 'type' | 'group'>;

describe('typeGroups', () => {
  it('groups types by their resource, without the test', () => {
    const types = ['configuration.published', 'member.left', 'scan.finished', 'api_key.created', 'test.ping'];
    expect(typeGroups(types.map(entry))).toEqual([
      { name: 'scans', types: ['scan.finished'] },
      { name: 'banner', types: ['configuration.published'] },
      { name: 'access', types: ['member.left', 'api_key.created'] },
    ]);
  });

  it('lists a type of a new resource among the others', () => {
    expect(typeGroups([entry('invoice.paid')])).toEqual([{ name: 'other', types: ['invoice.paid'] }]);
  });
});
