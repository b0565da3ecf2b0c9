import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { organizationInvitationInvite, organizationMemberChangeRoles } from '../../client/sdk.gen';
import type { OrganizationMemberResponse } from '../../client/types.gen';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { ORGANIZATION_ROLE_OPTIONS, PROJECT_ROLE_OPTIONS } from './role-options';
import { isLower, type Roles, rolesWith } from './roles';
import { rolesText } from './roles-text';

interface Props {
  organizationId: string;
  member: OrganizationMemberResponse;
  /** Called with roles that take permissions away, which are confirmed first. */
  onLower: (change: LoweredRoles) => void;
}

export interface LoweredRoles {
  member: OrganizationMemberResponse;
  roles: Roles;
}

/** The member's role in the organization. */
export function OrganizationRoleSelect(props: Props) {
  const { member } = props;
  const { change, isPending } = useRoleChange(props);
  return (
    <NativeSelect
      size="xs"
      aria-label={t('members.roleOf', { email: member.email })}
      value={member.role}
      disabled={isPending}
      onChange={(event) => change({ role: event.currentTarget.value as Roles['role'] })}
      data={ORGANIZATION_ROLE_OPTIONS}
    />
  );
}

/** The member's role on all projects: chosen for members, and given with the other roles. */
export function ProjectRoleSelect(props: Props) {
  const { member } = props;
  const { change, isPending } = useRoleChange(props);
  // Nothing to choose.
  if (member.role !== 'member') {
    const given = member.role === 'admin' ? t('roles.owner') : t('organizations.none');
    return (
      <span className="quiet" title={t('organizations.by', { role: t(`roles.${member.role}`) })}>
        {given}
      </span>
    );
  }
  return (
    <NativeSelect
      size="xs"
      aria-label={t('organizations.projectRoleOf', { email: member.email })}
      value={member.projectRole ?? ''}
      disabled={isPending}
      onChange={(event) =>
        change({ projectRole: (event.currentTarget.value || null) as Roles['projectRole'] })
      }
      data={PROJECT_ROLE_OPTIONS}
    />
  );
}

/** Both roles in one field, for a phone. */
export function MemberRoles(props: Props) {
  const { member } = props;
  const { change, isPending } = useRoleChange(props);
  return (
    <NativeSelect
      size="xs"
      aria-label={t('members.roleOf', { email: member.email })}
      value={OPTIONS.findIndex((roles) => isEqual(roles, member))}
      disabled={isPending}
      onChange={(event) => change(OPTIONS[Number(event.currentTarget.value)] ?? {})}
      data={OPTIONS.map(({ role, projectRole }, index) => ({
        value: String(index),
        // A phone has room for one word.
        label: t(`roles.${projectRole ?? role}`),
      }))}
    />
  );
}

const OPTIONS: Roles[] = [
  { role: 'admin', projectRole: null },
  { role: 'billing', projectRole: null },
  { role: 'member', projectRole: 'owner' },
  { role: 'member', projectRole: 'editor' },
  { role: 'member', projectRole: 'viewer' },
  { role: 'member', projectRole: null },
];

const isEqual = (one: Roles, other: Roles): boolean =>
  one.role === other.role && one.projectRole === other.projectRole;

const SAVED = ['organizationMemberList', 'organizationList', 'organizationRead', 'projectList'] as const;

/** Changes roles, but leaves lower ones to a confirmation. An admin is made by accepting an invitation. */
function useRoleChange({ organizationId, member, onLower }: Props): {
  change: (changes: Partial<Roles>) => void;
  isPending: boolean;
} {
  const { userId, email } = member;
  const save = useApiMutation({
    request: async (roles: Roles) =>
      (await organizationMemberChangeRoles({ path: { organizationId, userId }, body: roles })).data,
    successMessage: t('shared.saved'),
    invalidates: SAVED,
    notifiesError: true,
  });
  const offer = useApiMutation({
    request: async () =>
      (await organizationInvitationInvite({ path: { organizationId }, body: { email, role: 'admin' } })).data,
    successMessage: t('organizations.adminInvited', { email }),
    invalidates: ['organizationInvitationList'],
    notifiesError: true,
  });
  return {
    change: (changes) => {
      const roles = rolesWith(member, changes);
      if (isEqual(roles, member)) return;
      if (roles.role === 'admin') offer.mutate(undefined);
      else if (isLower(roles, member)) onLower({ member, roles });
      else save.mutate(roles);
    },
    isPending: save.isPending || offer.isPending,
  };
}

/** Confirms that a member loses permissions, because keys are revoked with them. */
export function LowerRolesDialog(props: LoweredRoles & { organizationId: string; onClose: () => void }) {
  const { organizationId, member, roles, onClose } = props;
  const { userId, email } = member;
  const { data: session } = useQuery(authSessionOptions());
  const isSelf = session?.user.id === userId;
  const save = useApiMutation({
    request: async () =>
      (await organizationMemberChangeRoles({ path: { organizationId, userId }, body: roles })).data,
    successMessage: t('shared.saved'),
    invalidates: SAVED,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('organizations.changeTitle', { email })}
      confirmLabel={t('organizations.changeTo', { role: rolesText(roles) })}
      isPending={save.isPending}
      error={save.error}
      onClose={onClose}
      onConfirm={() => save.mutate(undefined)}
    >
      {isSelf ? t('organizations.changeOwnText') : t('organizations.changeText')}
    </ConfirmDialog>
  );
}
