import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ProjectResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';
import { MoveProjectDialog } from './move-project-dialog';
import { ORGANIZATION_LIST } from './organization-list';

/** The organization of a project, and the way into, out of and between organizations. */
export function ProjectOrganization({ project }: { project: ProjectResponse }) {
  const query = useQuery(ORGANIZATION_LIST);
  const [opened, dialog] = useDisclosure(false);
  const { organizationId } = project;
  const organizations = query.data?.items ?? [];
  const current = organizations.find(({ id }) => id === organizationId) ?? null;
  const administered = organizations.filter(({ role }) => role === 'admin');
  const targets = administered.filter(({ id }) => id !== organizationId);
  const refusal = checkAccess(project, { role: 'owner' });
  const isForeign = organizationId !== null && current?.role !== 'admin';
  const hasTarget = organizationId !== null || targets.length > 0;
  const move = (
    <div>
      <Button variant="default" disabled={refusal !== null || isForeign || !hasTarget} onClick={dialog.open}>
        {t('organizations.move')}
      </Button>
    </div>
  );
  return (
    <Section title={t('organizations.organization')} text={t('organizations.projectText')}>
      {query.isPending && <SkeletonRows rows={1} />}
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {query.data && (
        <Stack gap="sm">
          <AccessNote refusal={refusal} projectId={project.id} what={t('organizations.move')} />
          <Text>
            {organizationId === null && t('organizations.projectInNone')}
            {organizationId !== null && current === null && t('organizations.projectInOther')}
            {current && (
              <AnchorLink to="/organizations/$organizationId" params={{ organizationId: current.id }}>
                {t('organizations.projectIn', { name: current.name })}
              </AnchorLink>
            )}
          </Text>
          {refusal === null && isForeign && (
            <Text c="dimmed">
              {current
                ? t('organizations.needsAdminOf', { name: current.name })
                : t('organizations.needsAdminOfOther')}
            </Text>
          )}
          {refusal === null && !hasTarget && (
            <Text c="dimmed">
              {t('organizations.needsTarget')}{' '}
              <AnchorLink to="/new-organization">{t('shell.newOrganization')}</AnchorLink>
            </Text>
          )}
          {move}
        </Stack>
      )}
      {opened && (
        <MoveProjectDialog project={project} source={current} targets={targets} onClose={dialog.close} />
      )}
    </Section>
  );
}
