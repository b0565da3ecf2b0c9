import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { proxyReadOptions } from '../../client/@tanstack/react-query.gen';
import { proxyCreate, proxyForgetFormer, proxyRemove } from '../../client/sdk.gen';
import type { ProxyResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { AccessNote, checkAccess } from '../../shared/access';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { CopyableCode } from '../../shared/copyable-code';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime, RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useProject } from '../../shared/use-project';
import { fillGuide, loadGuides } from './proxy-guides';

const LIVE_MS = 2_000;

/** Serving loader, banner and records from a path of the site's own host (docs/first-party.md). */
export function FirstParty() {
  const project = useProject();
  const path = { projectId: project.id };
  const state = useQuery({ ...proxyReadOptions({ path }), refetchInterval: LIVE_MS });
  const create = useApiMutation({
    request: async () => (await proxyCreate({ path })).data,
    invalidates: ['proxyRead'],
  });
  return (
    <Section title={t('install.firstParty.title')} text={t('install.firstParty.text')}>
      <ProblemAlert error={state.error} retry={() => void state.refetch()} />
      {state.data && <ProxyStatus proxy={state.data} />}
      {state.data && (
        <ProxySecret
          projectId={project.id}
          proxy={state.data}
          create={() => create.mutate(undefined)}
          isCreating={create.isPending}
          onRemoved={create.reset}
        />
      )}
      <ProblemAlert error={create.error} />
      {create.data && (
        <Stack gap={4} role="status">
          <Text>{t('install.firstParty.secretOnce')}</Text>
          <CopyableCode text={create.data.secret} label={t('install.firstParty.secret')} />
        </Stack>
      )}
      <ProxyGuides projectId={project.id} secret={create.data?.secret ?? null} />
    </Section>
  );
}

/** Whether requests arrive, and whether they carry the secret. */
function ProxyStatus({ proxy }: { proxy: ProxyResponse }) {
  switch (proxy.state) {
    case 'not_seen':
      return <StatusLabel status="off">{t('install.firstParty.notSeen')}</StatusLabel>;
    case 'proven':
      return (
        <StatusLabel status="good">
          <span>
            {t('install.firstParty.proven', { host: proxy.host ?? '–', path: proxy.prefix || '/' })}{' '}
            {proxy.provenAt && <RelativeTime at={proxy.provenAt} />}.
          </span>
        </StatusLabel>
      );
    case 'unproven':
      return (
        <Stack gap={4} role="status">
          <StatusLabel status="bad">{t('install.firstParty.unproven')}</StatusLabel>
          <Text>{t('install.firstParty.unprovenText')}</Text>
        </Stack>
      );
  }
}

function ProxySecret(props: {
  projectId: string;
  proxy: ProxyResponse;
  create: () => void;
  isCreating: boolean;
  onRemoved: () => void;
}) {
  const { proxy } = props;
  const path = { projectId: props.projectId };
  const project = useProject();
  const refusal = checkAccess(project, { role: 'editor' });
  const [opened, dialog] = useDisclosure(false);
  const invalidates = ['proxyRead'] as const;
  const remove = useApiMutation({
    request: async () => (await proxyRemove({ path })).data,
    invalidates,
    onSuccess: () => {
      props.onRemoved();
      dialog.close();
    },
  });
  const forget = useApiMutation({
    request: async () => (await proxyForgetFormer({ path })).data,
    invalidates,
    notifiesError: true,
  });
  if (refusal) return <AccessNote refusal={refusal} projectId={props.projectId} />;
  const exists = proxy.secretCreatedAt !== null;
  return (
    <>
      {proxy.formerValidUntil && (
        <Text>
          {t('install.firstParty.formerUntil')} <AbsoluteTime at={proxy.formerValidUntil} />.
        </Text>
      )}
      <Group gap="xs">
        <Button variant="default" loading={props.isCreating} onClick={props.create}>
          {exists ? t('install.firstParty.rotate') : t('install.firstParty.create')}
        </Button>
        {proxy.formerValidUntil && (
          <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate(undefined)}>
            {t('install.firstParty.endFormer')}
          </Button>
        )}
        {exists && (
          <Button variant="subtle" color="red" onClick={dialog.open}>
            {t('install.firstParty.remove')}
          </Button>
        )}
      </Group>
      {opened && (
        <ConfirmDialog
          title={t('install.firstParty.remove')}
          confirmLabel={t('install.firstParty.remove')}
          isPending={remove.isPending}
          error={remove.error}
          onClose={dialog.close}
          onConfirm={() => remove.mutate(undefined)}
        >
          <Text>{t('install.firstParty.removeText')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The snippet for each server, with the project's id, and with a secret that was just created. */
function ProxyGuides({ projectId, secret }: { projectId: string; secret: string | null }) {
  const { data } = useQuery({ queryKey: ['proxy-guides'], queryFn: loadGuides, staleTime: Infinity });
  if (!data) return null;
  return (
    <>
      <Text>{t('install.firstParty.line')}</Text>
      <CopyableCode
        text={`<script src="/consent/cdn/${projectId}/loader.js"></script>`}
        label={t('install.firstParty.lineLabel')}
      />
      <Tabs defaultValue={null} keepMounted={false} allowTabDeactivation>
        <Tabs.List aria-label={t('install.firstParty.guides')}>
          {data.map(({ title }) => (
            <Tabs.Tab key={title} value={title}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {data.map(({ title, text }) => (
          <Tabs.Panel key={title} value={title} pt="sm" className="sample">
            <CopyableCode
              text={fillGuide(text, { projectId, secret, host: location.host })}
              label={t('install.firstParty.guideFor', { server: title })}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
