import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { findingChangesOptions } from '../../client/@tanstack/react-query.gen';
import type { ScanChangesResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { FindingRow } from './finding-row';

/** What appeared and disappeared since the scan before. */
export function ScanChanges({ projectId, scanId }: { projectId: string; scanId: string }) {
  const query = useQuery(findingChangesOptions({ path: { projectId, scanId } }));
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={6} />;
  const { since, findingsAdded, findingsRemoved, itemsAdded, itemsRemoved } = query.data;
  if (since === null) return <Text c="dimmed">{t('changes.first')}</Text>;
  return (
    <>
      <FindingChanges
        title={t('changes.findingsAdded', { count: findingsAdded.count })}
        part={findingsAdded}
      />
      <FindingChanges
        title={t('changes.findingsRemoved', { count: findingsRemoved.count })}
        part={findingsRemoved}
      />
      <ItemChanges title={t('changes.itemsAdded', { count: itemsAdded.count })} part={itemsAdded} />
      <ItemChanges title={t('changes.itemsRemoved', { count: itemsRemoved.count })} part={itemsRemoved} />
    </>
  );
}

function FindingChanges({ title, part }: { title: string; part: ScanChangesResponse['findingsAdded'] }) {
  return (
    <Section title={title}>
      {part.items.length > 0 && (
        <ul className="finding-list" aria-label={title}>
          {part.items.map((finding) => (
            <FindingRow key={finding.id} finding={finding} />
          ))}
        </ul>
      )}
      <Rest part={part} />
    </Section>
  );
}

function ItemChanges({ title, part }: { title: string; part: ScanChangesResponse['itemsAdded'] }) {
  return (
    <Section title={title}>
      {part.items.length > 0 && (
        <ul className="finding-list" aria-label={title}>
          {part.items.map(({ id, kind, name, host }) => (
            <li key={id} className="finding">
              <span>
                <VisibleText text={name === '' ? host : name} />
                {name !== '' && <> · {host}</>} · {t(`cookies.kinds.${kind}`)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Rest part={part} />
    </Section>
  );
}

/** Says that there is nothing, or how many more there are than are listed. */
function Rest({ part: { count, items } }: { part: { count: number; items: unknown[] } }) {
  if (count === 0) return <Text c="dimmed">{t('changes.none')}</Text>;
  return count > items.length ? (
    <Text c="dimmed">{t('changes.more', { count: count - items.length })}</Text>
  ) : null;
}
