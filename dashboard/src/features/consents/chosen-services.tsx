import { Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { publicationDocumentOptions } from '../../client/@tanstack/react-query.gen';
import type { ConsentResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';

/** The services that the visitor accepted or refused one by one, by their names in what they were shown. */
export function ChosenServices({ projectId, record }: { projectId: string; record: ConsentResponse }) {
  const { services, configHash } = record;
  const query = useQuery({
    ...publicationDocumentOptions({ path: { projectId, configHash: configHash ?? '' } }),
    enabled: services !== null && configHash !== null,
    // It is named by its content.
    staleTime: Infinity,
  });
  if (services === null) return null;
  const names = serviceNames(query.data?.document);
  const listOf = (isAccepted: boolean): string =>
    Object.keys(services)
      .filter((id) => services[id] === isAccepted)
      .map((id) => names.get(id) ?? id)
      .toSorted((one, other) => one.localeCompare(other))
      .join(', ');
  const lists = [
    [t('consents.granted'), listOf(true)],
    [t('consents.denied'), listOf(false)],
  ] as const;
  return (
    <section aria-label={t('consents.services')} className="record-part">
      <Title order={3}>{t('consents.services')}</Title>
      <dl className="facts">
        {lists.map(
          ([label, list]) =>
            list !== '' && (
              <div key={label} style={{ display: 'contents' }}>
                <dt>{label}</dt>
                <dd>{query.isLoading ? <Skeleton height={10} mt={6} width="60%" /> : list}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

/** Names by id in a published document, which an older version may have written. */
function serviceNames(document: Record<string, unknown> | undefined): Map<string, string> {
  const services = document?.['services'];
  const known = (Array.isArray(services) ? services : []) as { id?: unknown; name?: unknown }[];
  return new Map(
    known.flatMap(({ id, name }) =>
      typeof id === 'string' && typeof name === 'string' ? [[id, name] as const] : [],
    ),
  );
}
