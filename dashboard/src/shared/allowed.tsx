import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProjectDto } from '../client/types.gen';
import { t } from '../texts/texts';

export type Role = ProjectDto['role'];
const ROLES: Role[] = ['viewer', 'editor', 'owner'];

export function roleCovers(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Why somebody may not do something; null: they may. */
export type Refusal = { kind: 'role'; needed: Role } | { kind: 'tier'; tier: string } | null;

/** The lowest role or tier that is missing: the role first, because it is the one that cannot be bought. */
export function refusalOf(
  project: ProjectDto,
  needs: { role?: Role; feature?: { open: boolean; tier: string } },
): Refusal {
  if (needs.role && !roleCovers(project.role, needs.role)) return { kind: 'role', needed: needs.role };
  if (needs.feature && !needs.feature.open) return { kind: 'tier', tier: needs.feature.tier };
  return null;
}

/** Shows what is not allowed, disabled, under one sentence that says how to get it. */
export function Allowed({
  refusal,
  projectId,
  children,
}: {
  refusal: Refusal;
  projectId: string;
  children: ReactNode;
}) {
  return (
    <Stack gap="sm">
      {refusal && (
        <Alert variant="outline" color="gray" role="note">
          <Text>
            {refusal.kind === 'role' ? (
              t.shared.needsRole(t.roles[refusal.needed])
            ) : (
              <>
                {t.shared.needsTier(refusal.tier)}{' '}
                <Anchor component={Link} to={`/projects/${projectId}/settings/plan`}>
                  {t.shared.seePlans}
                </Anchor>
              </>
            )}
          </Text>
        </Alert>
      )}
      <fieldset className="disabled-part" disabled={refusal !== null}>
        {children}
      </fieldset>
    </Stack>
  );
}
