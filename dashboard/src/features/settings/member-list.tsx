import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { memberListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { MemberResponse, ProjectResponse } from '../../client/types.gen';
import { InfiniteTable } from '../../shared/infinite-table';
import { t } from '../../i18n/i18n';
import { memberColumns, memberPhoneColumns } from './member-columns';
import { RemoveMemberDialog } from './member-dialogs';
import { MemberRole } from './member-role';

/** Who is here, as what, and whether with a second factor. */
export function MemberList({ project }: { project: ProjectResponse }) {
  const path = { projectId: project.id };
  const query = useInfiniteQuery({
    ...memberListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [leaving, setLeaving] = useState<MemberResponse | null>(null);
  const role = (member: MemberResponse) => <MemberRole project={project} member={member} />;
  return (
    <>
      <InfiniteTable
        label={t('pages.members')}
        query={query}
        columns={memberColumns({ roles: [{ title: t('members.role'), cell: role }], onRemove: setLeaving })}
        phoneColumns={memberPhoneColumns({ role, onRemove: setLeaving })}
        rowKey={({ userId }) => userId}
        empty={t('members.none')}
      />
      {leaving && <RemoveMemberDialog project={project} member={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}
