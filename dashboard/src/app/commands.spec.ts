import { describe, expect, it } from '@jest/globals';
import { selectCommands } from './commands.js';

const ID = '01A20310-0000-7000-8000-0000000782b5';

describe('selectCommands', () => {
  const commands = ['Overview', 'Consents', 'All consents', 'Account'].map((label) => ({ label }));
  const labels = (text: string) => selectCommands(commands, text).map(({ label }) => label);

  it('puts those first that begin with the text', () => {
    expect(labels(' con')).toEqual(['Consents', 'All consents']);
    expect(labels('a')).toEqual(['All consents', 'Account']);
    expect(labels('')).toEqual(['Overview', 'Consents', 'All consents', 'Account']);
    expect(labels('zzz')).toEqual([]);
  });

  it('opens the consent of a complete id', () => {
    const open = (label: string) => ({ label });
    expect(selectCommands(commands, ` ${ID} `, open)).toEqual([{ label: ID.toLowerCase() }]);
    expect(selectCommands(commands, ID.slice(1), open)).toEqual([]);
    // Without a project there is none to open.
    expect(selectCommands(commands, ID)).toEqual([]);
  });

  it('shows a bounded number', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ label: `Project ${index}` }));
    expect(selectCommands(many, 'pro')).toHaveLength(12);
  });
});
