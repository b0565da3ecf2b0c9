import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consentListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { PrivacyStateResponse, ProjectResponse } from '../../client/types.gen';
import { InfiniteTable } from '../../shared/infinite-table';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { locale, t } from '../../i18n/i18n';
import { timeZoneName } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { ConsentDrawer } from '../consents/consent-drawer';
import { consentColumns } from '../consents/columns';
import { EraseVisitor } from './erase-visitor';

const route = getRouteApi('/signed-in/projects/$projectId/settings/privacy');

const PAGE_ROWS = 200;

/** Searches for one visitor, shows their stored records, and exports or erases them. */
export function FindVisitor({
  project,
  privacy,
}: {
  project: ProjectResponse;
  privacy: PrivacyStateResponse;
}) {
  const [typed, setTyped] = useState('');
  const [visitor, setVisitor] = useState<string | null>(null);
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (consentId: string | undefined) =>
    void navigate({ search: { open: consentId }, replace: consentId === undefined });
  const isNamed = privacy.visitorReferenceField !== null;
  return (
    <Section title={t('privacy.find')} text={t('privacy.findText')}>
      {!isNamed && <Text>{t('privacy.fieldMissing')}</Text>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setVisitor(typed.trim() || null);
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label={privacy.visitorReferenceField ?? t('privacy.visitor')}
            required
            disabled={!isNamed}
            data-search
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" size="sm" disabled={!isNamed}>
            {t('privacy.findNow')}
          </Button>
        </Group>
      </form>
      {visitor !== null && isNamed && (
        <Found key={visitor} project={project} visitor={visitor} privacy={privacy} onOpen={show} />
      )}
      <ConsentDrawer project={project} consentId={open} onClose={() => show(undefined)} />
    </Section>
  );
}

function Found({
  project,
  visitor,
  privacy,
  onOpen,
}: {
  project: ProjectResponse;
  visitor: string;
  privacy: PrivacyStateResponse;
  onOpen: (consentId: string) => void;
}) {
  const path = { projectId: project.id };
  const query = useInfiniteQuery({
    ...consentListInfiniteOptions({ path, query: { visitorReference: visitor, limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const records = query.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text role="status" fw={600}>
          {query.data && t('privacy.found', { count: records, more: `${query.hasNextPage}` })}
        </Text>
        <Group gap="xs">
          {(['json', 'pdf'] as const).map((format) => (
            <FileLink
              key={format}
              projectId={project.id}
              visitor={visitor}
              format={format}
              disabled={privacy.indexing || records === 0}
            />
          ))}
        </Group>
      </Group>
      {privacy.indexing && <StatusLabel status="waiting">{t('privacy.indexing')}</StatusLabel>}
      <InfiniteTable
        label={t('privacy.records')}
        query={query}
        columns={consentColumns(true)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => onOpen(id)}
        empty={t('privacy.noneFound')}
      />
      <EraseVisitor
        project={project}
        target={{ visitorReference: visitor }}
        title={t('privacy.eraseVisitor')}
        text={t('privacy.eraseVisitorText', { count: records, more: `${query.hasNextPage}` })}
        openLabel={t('privacy.eraseVisitorAll')}
      />
    </Stack>
  );
}

/** The file for the visitor, which the browser takes as a download. */
function FileLink(props: { projectId: string; visitor: string; format: 'json' | 'pdf'; disabled: boolean }) {
  const { zone } = useZone();
  const query = new URLSearchParams({
    visitorReference: props.visitor,
    format: props.format,
    ...(props.format === 'pdf' && { language: locale, timeZone: timeZoneName(zone) }),
  });
  const label = t('privacy.download', { format: props.format.toUpperCase() });
  return props.disabled ? (
    <Button variant="default" disabled>
      {label}
    </Button>
  ) : (
    <Button
      variant="default"
      component="a"
      href={`/v1/projects/${props.projectId}/visitor-records?${query}`}
      download
    >
      {label}
    </Button>
  );
}
