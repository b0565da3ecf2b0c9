import { SERVICE_ID, SERVICE_ID_CHARACTERS_MAX } from '../../../platform/identity/service-id.js';

/** A service, as far as its id depends on it. */
export interface NamedService {
  id?: string;
  name: string;
}

/** Letters that decompose into others, such as ü, lose their marks. */
const MARKS = /\p{M}/gu;

/**
 * Gives each service without an id the one that `known` has for its name, else one made of its name. The same services
 * always get the same ids; no id of another known service is given out.
 */
export function withServiceIds<S extends NamedService>(
  services: readonly S[],
  known: readonly NamedService[] = [],
): S[] {
  const taken = new Set(services.flatMap(({ id }) => id ?? []));
  return services.map((service) => {
    if (service.id !== undefined) return service;
    const id =
      known.find(({ id: own, name }) => own !== undefined && name === service.name && !taken.has(own))?.id ??
      freeId(
        service.name,
        (candidate) => taken.has(candidate) || known.some((each) => each.id === candidate),
      );
    taken.add(id);
    return { id, ...service };
  });
}

function freeId(name: unknown, isTaken: (id: string) => boolean): string {
  const slug = String(name)
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SERVICE_ID_CHARACTERS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  const base = SERVICE_ID.test(slug) ? slug : `service-${slug}`.replace(/-$/, '');
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const id = base.slice(0, SERVICE_ID_CHARACTERS_MAX - suffix.length) + suffix;
    if (SERVICE_ID.test(id) && !isTaken(id)) return id;
  }
}

/** New ids that a published service with another name had. Renames keep their id. */
export function serviceIdConflicts(
  services: readonly NamedService[],
  { current, former }: { current: readonly NamedService[]; former: readonly NamedService[] },
): { index: number; id: string }[] {
  return services.flatMap(({ id, name }, index) => {
    if (id === undefined || current.some((each) => each.id === id)) return [];
    const had = former.filter((each) => each.id === id);
    return had.length > 0 && !had.some((each) => each.name === name) ? [{ index, id }] : [];
  });
}
