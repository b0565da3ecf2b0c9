import { Button, Group, Stack, TextInput, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { publicationListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse, PublicationResponse } from '../../client/types.gen';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { RelativeTime } from '../../shared/timestamps';
import { useZone } from '../../shared/zone';
import { t, translateCode } from '../../i18n/i18n';
import { authorName } from './author-name';
import { NoValue } from '../../shared/no-value';
import { PublicationDrawer } from './publication-drawer';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

const PAGE_ROWS = 50;
const LIVE_MS = 2_000;

/** The publications with authors and times, and the one in effect at any time. */
export function History({ project }: { project: ProjectResponse }) {
  const path = { projectId: project.id };
  const { at } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (instant: string | undefined) =>
    void navigate({ search: ({ at: _at, ...before }) => ({ ...before, ...(instant && { at: instant }) }) });
  const query = useInfiniteQuery({
    ...publicationListInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Polls for publications in progress, but not while the person scrolls through older pages.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  return (
    <Stack gap="sm">
      <ShownOn open={open} />
      <InfiniteTable
        label={t('banner.publications')}
        query={query}
        columns={COLUMNS}
        rowKey={({ version }) => String(version)}
        onOpen={({ inForceFrom }) => open(inForceFrom)}
        empty={t('banner.neverPublished')}
      />
      <PublicationDrawer project={project} at={at} onClose={() => open(undefined)} />
    </Stack>
  );
}

const COLUMNS: Column<PublicationResponse>[] = [
  {
    title: t('banner.liveFrom'),
    cell: ({ inForceFrom }) => (
      <Link
        to="."
        search={(search) => ({ ...search, at: inForceFrom })}
        className="row-link"
        onClick={(event) => event.stopPropagation()}
      >
        <RelativeTime at={inForceFrom} />
        <VisuallyHidden> {t('banner.openPublication')}</VisuallyHidden>
      </Link>
    ),
  },
  { title: t('banner.publishedBy'), cell: authorName },
  {
    title: t('banner.comment'),
    cell: ({ comment }) => (
      <span className="sentence-cell">{comment ?? <NoValue reason={t('banner.noComment')} />}</span>
    ),
  },
  { title: t('banner.plan'), cell: ({ tier }) => translateCode('projects.tiers', tier) ?? tier },
  { title: t('banner.version'), cell: ({ version }) => version, numeric: true },
];

/** "Which banner was shown on the 3rd of May?" */
function ShownOn({ open }: { open: (instant: string) => void }) {
  const { zone } = useZone();
  const [typed, setTyped] = useState('');
  const instant = new Date(zone === 'utc' ? `${typed}Z` : typed);
  const isInstant = typed !== '' && !Number.isNaN(instant.getTime());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isInstant) open(instant.toISOString());
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          size="xs"
          type="datetime-local"
          label={t('banner.shownAt')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!isInstant}>
          {t('banner.show')}
        </Button>
      </Group>
    </form>
  );
}
