import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../api/problem';
import { publicationDocumentOptions } from '../../client/@tanstack/react-query.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { BannerFrame, type Choice, bannerStage } from './banner-frame';

/** The banner of a published document, as visitors were shown it, by its hash. */
export function ShownBanner(props: {
  projectId: string;
  configHash: string;
  /** From the record; absent: the document's default language, and an unknown region. */
  language?: string | null;
  region?: string;
  /** What was chosen on the second layer; absent: on the first. */
  choice?: Choice;
}) {
  const { projectId, configHash, language, region = 'XX', choice = null } = props;
  const query = useQuery({
    ...publicationDocumentOptions({ path: { projectId, configHash } }),
    // It is named by its content.
    staleTime: Infinity,
  });
  const unknown = query.error instanceof ApiProblem && query.error.status === 404;
  return (
    <Stack gap="xs" component="section" aria-label={t('banner.bannerShown')}>
      <Title order={3}>{t('banner.bannerShown')}</Title>
      {unknown ? (
        <Text>{t('banner.unknownHash')}</Text>
      ) : (
        <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isPending && <Skeleton h="auto" style={bannerStage('desktop')} />}
      {query.data && (
        <BannerFrame
          device="desktop"
          scene={{
            configuration: query.data.document,
            language: language ?? String(query.data.document['defaultLanguage'] ?? ''),
            ...{ region, dark: false, signal: false, choice },
          }}
        />
      )}
    </Stack>
  );
}
