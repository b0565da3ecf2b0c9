import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { configurationContentSecurityPolicyOptions } from '../../client/@tanstack/react-query.gen';
import type { BlockingPolicyResponse } from '../../client/types.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { CATEGORIES } from './configuration';

/** The tag and the header that block on the site. */
export function BlockingCode({ projectId }: { projectId: string }) {
  return (
    <>
      <Title order={2} size="h3">
        {t('banner.blocking.tag')}
      </Title>
      <Text c="dimmed">{t('banner.blocking.tagText')}</Text>
      <CopyableCode
        text={`<script src="${location.origin}/cdn/${projectId}/blocker.js"></script>`}
        label={t('banner.blocking.tag')}
      />
      <ServerHeader projectId={projectId} />
    </>
  );
}

/** The header for the site's server: no script in the page can stop every request. */
function ServerHeader({ projectId }: { projectId: string }) {
  const query = useQuery(configurationContentSecurityPolicyOptions({ path: { projectId } }));
  return (
    <Stack gap="sm" component="section" aria-label={t('serverHeader.title')}>
      <Title order={2} size="h3">
        {t('serverHeader.title')}
      </Title>
      <Text>{t('serverHeader.text')}</Text>
      <Text c="dimmed">{t('serverHeader.how')}</Text>
      <Text c="dimmed">{t('serverHeader.first')}</Text>
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {query.isPending && <Skeleton h={72} />}
      {query.data && <Policy policy={query.data} />}
    </Stack>
  );
}

function Policy({ policy: { beforeConsent, byCategory, leftOut } }: { policy: BlockingPolicyResponse }) {
  const categories = CATEGORIES.filter((category) => byCategory[category].length > 0);
  if (categories.length === 0 && leftOut.length === 0)
    return <Text c="dimmed">{t('serverHeader.none')}</Text>;
  return (
    <>
      <CopyableCode text={`Content-Security-Policy: ${beforeConsent}`} label={t('serverHeader.header')} />
      {leftOut.length > 0 && <Text c="dimmed">{t('serverHeader.leftOut', { count: leftOut.length })}</Text>}
      {categories.length > 0 && <Text c="dimmed">{t('serverHeader.after')}</Text>}
      {categories.map((category) => {
        const title = t('serverHeader.sources', { category: t(`categories.${category}`) });
        return (
          <div key={category}>
            <Text>{title}</Text>
            <CopyableCode text={byCategory[category].join(' ')} label={title} />
          </div>
        );
      })}
    </>
  );
}
