import { Anchor, Button, FileButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { importCancel, importCreate, importPutPart, importStart } from '../../client/sdk.gen';
import type { ImportResponse } from '../../client/types.gen';
import { formatPercent } from '../../shared/format';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { ImportResult, isOver } from './import-result';

const PROFILES = [
  'generic',
  'usercentrics',
  'commanders_act',
  'cookiescript',
  'cookie_compliance',
  'didomi',
  'onetrust',
] as const;
type Profile = (typeof PROFILES)[number];

const PART_BYTES = 8 * 1024 * 1024;
/** Attempts to send a part; a lost connection is repeated. */
const TRIES = 4;
const TRY_AGAIN_MS = 2_000;

/** The latest import with its next step. */
export function ImportSteps({ projectId, latest }: { projectId: string; latest: ImportResponse | null }) {
  const [share, setShare] = useState<number | null>(null);
  const upload = useUpload(projectId, setShare);
  const open = latest && !isOver(latest) ? latest : null;
  if (share !== null) return <Meter label={t('imports.uploading')} share={share} />;
  return (
    <Stack gap="sm">
      {open ? <OpenImport projectId={projectId} open={open} upload={upload} /> : null}
      {!open && latest && <ImportResult projectId={projectId} result={latest} />}
      {!open && <NewImport upload={upload} />}
      <ProblemAlert error={upload.error} />
    </Stack>
  );
}

interface UploadInput {
  file: File;
  profile: Profile;
  /** Continues this one. */
  open: ImportResponse | null;
}

type Upload = ReturnType<typeof useUpload>;

/** Uploads a file in parts, and starts the check of it. */
function useUpload(projectId: string, setShare: (share: number | null) => void) {
  return useApiMutation({
    request: async ({ file, profile, open }: UploadInput) => {
      const path = { projectId };
      const { id, partCount, missingParts } =
        open ?? (await importCreate({ path, body: { profile, fileName: file.name, size: file.size } })).data;
      const missing = open ? new Set(missingParts) : null;
      try {
        for (let number = 1; number <= partCount; number++) {
          setShare((number - 1) / partCount);
          if (missing && !missing.has(number)) continue;
          const body = file.slice((number - 1) * PART_BYTES, number * PART_BYTES);
          await sendPart(() =>
            importPutPart({ path: { projectId, importId: id, number: String(number) }, body }),
          );
        }
        await importStart({ path: { projectId, importId: id }, body: { dryRun: true } });
      } finally {
        setShare(null);
      }
    },
    invalidates: ['importList'],
  });
}

async function sendPart(send: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await send();
      return;
    } catch (error) {
      if (attempt === TRIES) throw error;
      await new Promise((wake) => setTimeout(wake, TRY_AGAIN_MS));
    }
  }
}

function NewImport({ upload }: { upload: Upload }) {
  const [profile, setProfile] = useState<Profile>('generic');
  return (
    <Stack gap="xs" maw={520}>
      <NativeSelect
        label={t('imports.profile')}
        description={t('imports.profileHint')}
        value={profile}
        onChange={(event) => setProfile(event.currentTarget.value as Profile)}
        data={PROFILES.map((value) => ({ value, label: t(`imports.profiles.${value}`) }))}
      />
      <Group gap="xs">
        <ChooseFile
          onFile={(file) => upload.mutate({ file, profile, open: null })}
          loading={upload.isPending}
        />
        <Text c="dimmed" size="sm">
          {t('imports.fileHint')} · <Anchor href="/docs/import">{t('imports.docs')}</Anchor>
        </Text>
      </Group>
    </Stack>
  );
}

function ChooseFile({ onFile, loading }: { onFile: (file: File) => void; loading: boolean }) {
  return (
    <FileButton
      onChange={(file) => file && onFile(file)}
      accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.gz,.zip"
    >
      {(button) => (
        <Button {...button} variant="default" loading={loading}>
          {t('imports.choose')}
        </Button>
      )}
    </FileButton>
  );
}

/** An import that has not ended. */
function OpenImport({
  projectId,
  open,
  upload,
}: {
  projectId: string;
  open: ImportResponse;
  upload: Upload;
}) {
  const path = { projectId, importId: open.id };
  const cancel = useApiMutation({
    request: () => importCancel({ path }),
    invalidates: ['importList'],
    successMessage: t('imports.canceled'),
  });
  const cancelButton = (
    <Button variant="subtle" color="gray" loading={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
      {t('imports.cancel')}
    </Button>
  );
  if (open.state === 'checked')
    return (
      <>
        <Checked projectId={projectId} checked={open} cancelButton={cancelButton} />
        <ProblemAlert error={cancel.error} />
      </>
    );
  if (open.state === 'uploading')
    return (
      <Stack gap="xs">
        <StatusLabel status="waiting">{t('imports.incomplete', { file: open.fileName })}</StatusLabel>
        <Group gap="xs">
          <ChooseFile
            onFile={(file) => upload.mutate({ file, profile: open.profile, open })}
            loading={upload.isPending}
          />
          {cancelButton}
        </Group>
        <ProblemAlert error={cancel.error} />
      </Stack>
    );
  return (
    <Stack gap="xs">
      <Meter
        label={t(open.state === 'checking' ? 'imports.checking' : 'imports.running', { file: open.fileName })}
        share={open.share}
      />
      <Text c="dimmed" size="sm">
        {t('imports.rows', { rows: open.rowsRead })} · {t('imports.leave')}
      </Text>
      <div>{cancelButton}</div>
      <ProblemAlert error={cancel.error} />
    </Stack>
  );
}

function Meter({ label, share }: { label: string; share: number }) {
  return (
    <Stack gap={4} maw={520}>
      <Text>
        {label} {formatPercent(share)}
      </Text>
      <progress className="meter" max={1} value={share} aria-label={label} />
    </Stack>
  );
}

const TARGETS = ['analytics', 'marketing', 'preferences', 'ignore'] as const;
type Target = (typeof TARGETS)[number];
type Mapping = Record<string, Target>;

/** The result of a dry run, and the mapping of unknown names. */
function Checked({
  projectId,
  checked,
  cancelButton,
}: {
  projectId: string;
  checked: ImportResponse;
  cancelButton: React.ReactNode;
}) {
  const [mapping, setMapping] = useState<Mapping>(checked.mapping as Mapping);
  const path = { projectId, importId: checked.id };
  const start = useApiMutation({
    request: (dryRun: boolean) => importStart({ path, body: { dryRun, mapping } }),
    invalidates: ['importList'],
  });
  const names = [...new Set([...Object.keys(checked.unmapped), ...Object.keys(checked.mapping)])];
  const isChanged = JSON.stringify(mapping) !== JSON.stringify(checked.mapping);
  return (
    <Stack gap="sm">
      <ImportResult projectId={projectId} result={checked} />
      {names.length > 0 && (
        <Stack gap="xs" maw={520}>
          <Text fw={600}>{t('imports.mapping')}</Text>
          <Text c="dimmed" size="sm">
            {t('imports.mappingText')}
          </Text>
          {names.map((name) => (
            <NativeSelect
              key={name}
              label={name}
              description={t('imports.consents', { count: checked.unmapped[name] ?? 0 })}
              value={mapping[name] ?? ''}
              onChange={(event) => setMapping(withTarget(mapping, name, event.currentTarget.value))}
              data={[
                { value: '', label: t('imports.notMapped') },
                ...TARGETS.map((value) => ({ value, label: t(`imports.targets.${value}`) })),
              ]}
            />
          ))}
        </Stack>
      )}
      <Group gap="xs">
        {isChanged ? (
          <Button loading={start.isPending} onClick={() => start.mutate(true)}>
            {t('imports.checkAgain')}
          </Button>
        ) : (
          <Button
            loading={start.isPending}
            disabled={checked.stored === 0}
            onClick={() => start.mutate(false)}
          >
            {t('imports.start', { count: checked.stored })}
          </Button>
        )}
        {cancelButton}
      </Group>
      <ProblemAlert error={start.error} />
    </Stack>
  );
}

function withTarget(mapping: Mapping, name: string, target: string): Mapping {
  const { [name]: _, ...others } = mapping;
  return target === '' ? others : { ...others, [name]: target as Target };
}
