import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEventResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { AbsoluteTime } from '../../shared/timestamps';
import { t, translateCode } from '../../i18n/i18n';
import type { ActorNames } from './actor-names';

type State = AuditEventResponse['before'];

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The label of a member of the API. */
export function fieldName(member: string): string {
  return (
    translateCode('audit.fields', member) ??
    translateCode('organizations.fields', member) ??
    translateCode('banner.fieldNames', member) ??
    member
  );
}

/** The members in which a change differs, in the order in which they were written down. Empty lists say nothing. */
export function changedFields({ before, after }: { before: State; after: State }): string[] {
  const members = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...members].filter((member) => !isNothing(before?.[member]) || !isNothing(after?.[member]));
}

/** Some names of a list, and how many it has, as the alert of a scan names items. */
interface Sample {
  count: number;
  names: string[];
}

function isSample(value: unknown): value is Sample {
  return typeof value === 'object' && value !== null && 'count' in value && 'names' in value;
}

function isNothing(value: unknown): boolean {
  if (isSample(value)) return value.count === 0;
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The author of a change: the current name, which is not stored in the log, or a replacement. */
export function actorName({ kind, id, name }: AuditEventResponse['actor']): string {
  if (kind === 'user' || kind === 'api_key') return name ?? t(`audit.deletedActor.${kind}`);
  return kind === 'operator' && id !== null
    ? t('audit.operator', { name: id })
    : t(`audit.actorKinds.${kind}`);
}

/** The changed object: its name if it still exists, else its id. */
export function Target({ target, names }: { target: string | null; names: ActorNames }) {
  if (target === null) return <>{names.subject}</>;
  const name = names.of.get(target);
  if (name !== undefined) return <>{name}</>;
  return UUID.test(target) ? <CopyId id={target} /> : <span className="mono">{target}</span>;
}

/** From what to what, member by member. */
export function BeforeAfter({ before, after, names }: { before: State; after: State; names: ActorNames }) {
  const members = changedFields({ before, after });
  if (members.length === 0) return <Text c="dimmed">{t('audit.noDetails')}</Text>;
  return (
    <div className="rows" role="group" aria-label={t('audit.changed')} tabIndex={0}>
      <table aria-label={t('audit.changed')} className="wrapping">
        <thead>
          <tr>
            <th scope="col">{t('audit.field')}</th>
            <th scope="col">{t('audit.before')}</th>
            <th scope="col">{t('audit.after')}</th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member}>
              <th scope="row">{fieldName(member)}</th>
              <td>{valueOf(member, before?.[member], names)}</td>
              <td>{valueOf(member, after?.[member], names)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Members whose values are codes of the API, never names that people chose. */
const CODED = new Set(['category', 'frequency', 'kind', 'origin', 'skippedStates', 'status']);

function valueOf(member: string, value: unknown, names: ActorNames): ReactNode {
  if (value === undefined || value === null || value === '') return '–';
  if (isSample(value)) return sampleText(value);
  if (CODED.has(member)) {
    const codes = Array.isArray(value) ? value : [value];
    return codes.map((code) => translateCode('audit.values', String(code)) ?? String(code)).join(', ');
  }
  if (typeof value === 'boolean') return value ? t('list.yes') : t('list.no');
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    if (INSTANT.test(value)) return <AbsoluteTime at={value} />;
    if (UUID.test(value)) return <Target target={value} names={names} />;
    return translateCode('roles', value) ?? translateCode('banner.values', value) ?? value;
  }
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.length === 0 ? '–' : value.join(', ');
  return <code>{JSON.stringify(value, null, 2)}</code>;
}

function sampleText({ count, names }: Sample): string {
  if (count === 0) return '–';
  return t('audit.sample', { count, names: names.length > 0 ? names.join(', ') : 'none' });
}
