import { AccessFieldset, checkAccess } from '../../shared/access';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { TransferOwnership, LeaveProject } from './membership';
import { InvitationList, InviteForm } from './invitations';
import { MemberList } from './member-list';
import { SignInPolicy } from './sign-in-policy';

export function MembersPage() {
  const project = useProject();
  const refusal = checkAccess(project, { role: 'owner' });
  return (
    <Page title={t('pages.members')}>
      <Section title={t('members.add')} text={t('members.addText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <InviteForm projectId={project.id} />
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
        <dl className="facts">
          {(['viewer', 'editor', 'owner'] as const).map((role) => (
            <div key={role} style={{ display: 'contents' }}>
              <dt>{t(`roles.${role}`)}</dt>
              <dd>{t(`members.rolesText.${role}`)}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section
        title={t('members.membership')}
        text={t('members.membershipText', { role: t(`roles.${project.role}`) })}
      >
        {refusal === null && <TransferOwnership project={project} />}
        <LeaveProject project={project} />
      </Section>
    </Page>
  );
}
