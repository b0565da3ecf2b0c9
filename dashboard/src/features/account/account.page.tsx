import { useQuery } from '@tanstack/react-query';
import { meMeOptions } from '../../client/@tanstack/react-query.gen';
import type { MyUserResponse } from '../../client/types.gen';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { DeleteAccount } from './delete-account';
import { EmailForm } from './email-form';
import { NameForm } from './name-form';
import { OwnInvitations } from './own-invitations';
import { PasswordForm } from './password-form';
import { SecondFactor } from './second-factor';
import { SessionList } from './session-list';
import { TokenList } from './token-list';

/** Settings of the signed-in person's account. */
export function AccountPage() {
  const query = useQuery(meMeOptions());
  // The page is behind a session: never an API key.
  const me = query.data as MyUserResponse | undefined;
  return (
    <Page title={t('pages.account')}>
      <ProblemAlert error={query.error} />
      {query.isPending && <SkeletonRows rows={6} />}
      {me && (
        <>
          <Section title={t('account.profile')}>
            <NameForm name={me.name} />
          </Section>
          <Section title={t('signIn.email')} text={t('account.emailText', { email: me.email })}>
            <EmailForm email={me.email} />
          </Section>
          <Section title={t('account.password')} text={t('account.passwordText')}>
            <PasswordForm email={me.email} />
          </Section>
          <Section title={t('account.secondFactor')} text={t('account.secondFactorText')}>
            <SecondFactor email={me.email} enabled={me.secondFactor} />
          </Section>
          <Section title={t('invitation.list')} text={t('invitation.listText')}>
            <OwnInvitations />
          </Section>
          <Section title={t('account.sessions')} text={t('account.sessionsText')}>
            <SessionList />
          </Section>
          <Section title={t('account.tokens')} text={t('account.tokensText')}>
            <TokenList />
          </Section>
          <Section title={t('account.delete')} text={t('account.deleteText')}>
            <DeleteAccount email={me.email} />
          </Section>
        </>
      )}
    </Page>
  );
}
