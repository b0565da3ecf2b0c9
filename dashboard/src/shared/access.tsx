import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ProjectResponse } from '../client/types.gen';
import { t } from '../i18n/i18n';
import { AnchorLink } from './anchor-link';

export type Role = ProjectResponse['role'];
const ROLES: Role[] = ['viewer', 'editor', 'owner'];

export function roleCovers(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Why the person may not do something; null: they may. */
export type AccessDenial = { kind: 'role'; needed: Role } | { kind: 'tier'; tier: string } | null;

/** The lowest role or tier that is missing: the role first, because it is the one that cannot be bought. */
export function checkAccess(
  project: ProjectResponse,
  needs: { role?: Role; feature?: { open: boolean; tier: string } },
): AccessDenial {
  if (needs.role && !roleCovers(project.role, needs.role)) return { kind: 'role', needed: needs.role };
  if (needs.feature && !needs.feature.open) return { kind: 'tier', tier: needs.feature.tier };
  return null;
}

/** Why the person may not do something, and how to get access; renders nothing where they may. */
export function AccessNote({
  refusal,
  projectId,
  what,
}: {
  refusal: AccessDenial;
  projectId: string;
  /** Which of the page's acts it is about, where that is not plain. */
  what?: string;
}) {
  if (!refusal) return null;
  return (
    <Alert variant="outline" color="gray" role="note">
      <Text>
        {what !== undefined && `${what}: `}
        {refusal.kind === 'role' ? (
          t('shared.needsRole', { role: t(`roles.${refusal.needed}`) })
        ) : (
          <>
            {t('shared.needsTier', { tier: refusal.tier })}{' '}
            <AnchorLink to="/projects/$projectId/settings/plan" params={{ projectId }}>
              {t('shared.seePlans')}
            </AnchorLink>
          </>
        )}
      </Text>
    </Alert>
  );
}

/** Shows disallowed fields, disabled, under one sentence that explains how to get access. */
export function AccessFieldset({
  refusal,
  projectId,
  children,
}: {
  refusal: AccessDenial;
  projectId: string;
  children: ReactNode;
}) {
  return (
    <Stack gap="sm">
      <AccessNote refusal={refusal} projectId={projectId} />
      <fieldset className="disabled-part" disabled={refusal !== null}>
        {children}
      </fieldset>
    </Stack>
  );
}
