import type { EventTypeResponse } from '../../client/types.gen';
import type { EventType } from './search';

type Entry = Pick<EventTypeResponse, 'type' | 'group'>;

/** Groups of event types, by the resources that their names begin with. */
const GROUPS = {
  scans: ['scan'],
  banner: ['configuration'],
  forwarding: ['forwarding'],
  privacy: ['erasure', 'evidence', 'import', 'export'],
  access: ['member', 'api_key'],
  domainsAndPlan: ['custom_domain', 'tier'],
};
/** Sent only by Test, to endpoints that do not list it, too. */
const NOT_LISTED = 'test';

type GroupName = keyof typeof GROUPS | 'other';

export interface TypeGroup {
  name: GroupName;
  types: EventType[];
}

/** The types that an endpoint can list, in groups; empty groups are left out. */
export function typeGroups(entries: readonly Entry[]): TypeGroup[] {
  const known = Object.entries(GROUPS) as [GroupName, string[]][];
  const nameOf = ({ group }: Entry): GroupName =>
    known.find(([, resources]) => resources.includes(group))?.[0] ?? 'other';
  const listed = entries.filter(({ group }) => group !== NOT_LISTED);
  const names: GroupName[] = [...known.map(([name]) => name), 'other'];
  return names.flatMap((name) => {
    const types = listed.filter((entry) => nameOf(entry) === name).map(({ type }) => type);
    return types.length > 0 ? [{ name, types }] : [];
  });
}
