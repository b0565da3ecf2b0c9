import { ownershipLeave } from '../../client/sdk.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { InvitationList, InviteToProject } from './invitations';
import { LeaveButton } from './leave-button';
import { MemberList } from './member-list';
import { RoleFacts } from './role-facts';
import { SignInPolicy } from './sign-in-policy';
import { TransferOwnership } from './transfer-ownership';

const ROLES = (['viewer', 'editor', 'owner'] as const).map(
  (role) => [t(`roles.${role}`), t(`members.rolesText.${role}`)] as const,
);

export function MembersPage() {
  const project = useProject();
  const refusal = checkAccess(project, { role: 'owner' });
  return (
    <Page title={t('pages.members')}>
      <Section title={t('members.add')} text={t('members.addText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <InviteToProject projectId={project.id} />
        </AccessFieldset>
      </Section>
      {/* Who else is here is an owner's to read. */}
      {refusal === null && (
        <>
          <InvitationList projectId={project.id} />
          <MemberList project={project} />
        </>
      )}
      <Section title={t('members.signIn')} text={t('members.signInText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <SignInPolicy projectId={project.id} />
        </AccessFieldset>
      </Section>
      <Section title={t('members.rolesTitle')}>
        <RoleFacts roles={ROLES} />
      </Section>
      <Section
        title={t('members.membership')}
        text={t('members.membershipText', { role: t(`roles.${project.role}`) })}
      >
        {refusal === null && <TransferOwnership project={project} />}
        <LeaveButton
          label={t('members.leave')}
          text={t('members.removeSelfText')}
          leave={() => ownershipLeave({ path: { projectId: project.id } })}
        />
      </Section>
    </Page>
  );
}
