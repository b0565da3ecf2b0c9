import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../api/problem';
import { publicationDocumentOptions } from '../../client/@tanstack/react-query.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type Mode, MODES, type Modes } from './configuration';
import { BannerFrame, type Choice, bannerStage, isDevice } from './banner-frame';

/** The banner of a published document, as visitors were shown it, by its hash. */
export function ShownBanner(props: {
  projectId: string;
  configHash: string;
  /** Of the record; absent: the document's default language. */
  language?: string | null;
  /** Whether Global Privacy Control was honored. */
  signal?: boolean;
  /** The choice on the second layer; absent: on the first. */
  choice?: Choice;
  /** The record's additional fields, in which the banner stores what decided the picture. */
  fields?: Readonly<Record<string, unknown>>;
  /** Whether little room is around the banner and the picture has no heading, as beside a record. */
  isCropped?: boolean;
}) {
  const { projectId, configHash, language, signal = false, fields = {}, choice = null, isCropped } = props;
  const { region, theme, modes } = fields;
  const device = isDevice(fields['device']) ? fields['device'] : 'desktop';
  const stored = modesOf(modes);
  const query = useQuery({
    ...publicationDocumentOptions({ path: { projectId, configHash } }),
    // It is named by its content.
    staleTime: Infinity,
  });
  const unknown = query.error instanceof ApiProblem && query.error.status === 404;
  return (
    <Stack gap="xs" component="section" aria-label={t('banner.bannerShown')}>
      {!isCropped && <Title order={3}>{t('banner.bannerShown')}</Title>}
      {unknown ? (
        <Text>{t('banner.unknownHash')}</Text>
      ) : (
        <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isPending && <Skeleton h="auto" style={bannerStage(device, {}, isCropped)} />}
      {query.data && (
        <BannerFrame
          device={device}
          isCropped={isCropped}
          // The modes of categories that differ are listed beside the picture.
          {...(stored && new Set(Object.values(stored)).size > 1 && { shownWords: '' })}
          scene={{
            configuration: query.data.document,
            language: language ?? String(query.data.document['defaultLanguage'] ?? ''),
            region: typeof region === 'string' ? region : 'XX',
            dark: theme === 'dark',
            signal,
            choice,
            isSecondLayer: choice !== null,
            ...(stored && { modes: stored }),
          }}
        />
      )}
    </Stack>
  );
}

/** The modes that a banner stored; null where it stored none that we know. */
function modesOf(stored: unknown): Modes | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const modes = stored as Record<string, unknown>;
  return CATEGORIES.every((category) => MODES.includes(modes[category] as Mode)) ? (modes as Modes) : null;
}

/** The modes that a banner stored, in words: one where it holds for all categories. */
export function modeWords(stored: unknown): string[] {
  const modes = modesOf(stored);
  if (!modes) return [];
  if (new Set(Object.values(modes)).size === 1) return [t(`banner.modes.${modes.analytics}`)];
  return CATEGORIES.map(
    (category) => `${t(`banner.fieldNames.${category}`)}: ${t(`banner.modes.${modes[category]}`)}`,
  );
}
