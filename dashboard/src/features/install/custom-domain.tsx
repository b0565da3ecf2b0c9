import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { domainCheck, domainRemove } from '../../client/sdk.gen';
import type { CustomDomainResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { CopyableCode } from '../../shared/copyable-code';
import { type Status, StatusLabel } from '../../shared/status-label';
import { AbsoluteTime, RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useProject } from '../../shared/use-project';
import { customDomainLine } from './custom-domain-line';
import { DnsRecord } from './dns-record';

const STATUS: Record<CustomDomainResponse['state'], Status> = {
  pending: 'waiting',
  verified: 'waiting',
  active: 'good',
  failing: 'bad',
  suspended: 'bad',
};

/** A custom domain: its state in words, what to do, and its certificate. */
export function CustomDomain(props: { domain: CustomDomainResponse; authority: string; canChange: boolean }) {
  const { domain, authority, canChange } = props;
  const project = useProject();
  const isWorking = domain.state === 'verified' || domain.state === 'active';
  return (
    <Paper withBorder p="sm" component="article" aria-label={domain.hostname}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={3} style={{ overflowWrap: 'anywhere' }}>
            {domain.hostname}
          </Title>
          <StatusLabel status={STATUS[domain.state]}>
            {t(`install.domains.state.${domain.state}`)}
          </StatusLabel>
        </Group>
        <DomainProblem domain={domain} />
        {!isWorking && (
          <>
            <Text>{t('install.domains.create')}</Text>
            <DnsRecord record={domain.records.cname} />
            <Text>{t('install.domains.createTxt')}</Text>
            <DnsRecord record={domain.records.txt} />
          </>
        )}
        {domain.state !== 'pending' && domain.state !== 'suspended' && (
          <DomainCertificate domain={domain} authority={authority} />
        )}
        {isWorking && (
          <CopyableCode
            text={customDomainLine(domain.hostname, project.id)}
            label={t('install.domains.line', { host: domain.hostname })}
          />
        )}
        {domain.checkedAt && (
          <Text c="dimmed">
            {t('install.domains.checked')} <RelativeTime at={domain.checkedAt} />.
          </Text>
        )}
        {canChange && <DomainActions domain={domain} />}
      </Stack>
    </Paper>
  );
}

function DomainProblem({ domain: { state, stateEndsAt, problem, found } }: { domain: CustomDomainResponse }) {
  if (!problem && !stateEndsAt) return null;
  return (
    <div role="status">
      {problem && <Text>{t(`install.domains.problem.${problem}`, { found: found ?? '–' })}</Text>}
      {stateEndsAt && (state === 'failing' || state === 'suspended' || state === 'pending') && (
        <Text c={state === 'pending' ? 'dimmed' : undefined}>
          {t(`install.domains.ends.${state}`)} <AbsoluteTime at={stateEndsAt} />.
        </Text>
      )}
    </div>
  );
}

function DomainCertificate({ domain, authority }: { domain: CustomDomainResponse; authority: string }) {
  const { allowed, askedAt, caaKnown, caaIssuers, caaForbids } = domain.certificate;
  const issuers = caaIssuers?.join(', ') || t('install.domains.caaNobody');
  return (
    <Stack gap={4} align="flex-start">
      {caaForbids ? (
        <StatusLabel status="bad">{t('install.domains.caaForbids', { issuers, authority })}</StatusLabel>
      ) : (
        caaIssuers !== null && <Text c="dimmed">{t('install.domains.caa', { issuers })}</Text>
      )}
      {!caaKnown && <Text c="dimmed">{t('install.domains.caaUnknown')}</Text>}
      {!allowed && <StatusLabel status="bad">{t('install.domains.certificate.blocked')}</StatusLabel>}
      {domain.seenAt ? (
        <StatusLabel status="good">
          <span>
            {t('install.domains.certificate.used')} <RelativeTime at={domain.seenAt} />.
          </span>
        </StatusLabel>
      ) : askedAt ? (
        <StatusLabel status="waiting">
          <span>
            {t('install.domains.certificate.asked')} <RelativeTime at={askedAt} />.
          </span>
        </StatusLabel>
      ) : (
        allowed && <StatusLabel status="waiting">{t('install.domains.certificate.first')}</StatusLabel>
      )}
    </Stack>
  );
}

function DomainActions({ domain }: { domain: CustomDomainResponse }) {
  const project = useProject();
  const [opened, dialog] = useDisclosure(false);
  const path = { projectId: project.id, domainId: domain.id };
  const check = useApiMutation({
    request: async () => (await domainCheck({ path })).data,
    invalidates: ['domainList'],
    notifiesError: true,
  });
  const remove = useApiMutation({
    request: async () => (await domainRemove({ path })).data,
    invalidates: ['domainList'],
    onSuccess: dialog.close,
  });
  return (
    <Group gap="xs">
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate(undefined)}>
        {t('install.domains.check')}
      </Button>
      <Button variant="subtle" color="red" onClick={dialog.open}>
        {t('install.domains.remove')}
      </Button>
      {opened && (
        <ConfirmDialog
          title={t('install.domains.removeTitle', { host: domain.hostname })}
          confirmLabel={t('install.domains.remove')}
          isPending={remove.isPending}
          error={remove.error}
          onClose={dialog.close}
          onConfirm={() => remove.mutate(undefined)}
        >
          <Text>{t('install.domains.removeText')}</Text>
        </ConfirmDialog>
      )}
    </Group>
  );
}
