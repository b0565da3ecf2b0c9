import { Button, Checkbox, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ConfigurationChangeResponse, MissingTextsResponse } from '../../client/types.gen';
import { languageName } from '../../shared/display-names';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Notice } from '../../shared/notice';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { ChangesList } from './changes-list';

/** Shows the changes for visitors, and takes a comment for the history. */
export function PublishDialog(props: {
  title: string;
  confirmLabel: string;
  /** Something to consider before publishing. */
  warning?: string | null;
  /** Languages that lack texts: publishing them has to be confirmed. */
  missing?: MissingTextsResponse[];
  /** The changes, once they are loaded. */
  changes: { items: ConfigurationChangeResponse[] | undefined; error: unknown; retry: () => void };
  pending: boolean;
  error: unknown;
  onClose: () => void;
  /** `confirmed`: although texts are missing. */
  onPublish: (comment: string, confirmed: boolean) => void;
}) {
  const [comment, setComment] = useState('');
  const [confirmed, setConfirmed] = useState(false);
  const { missing = [] } = props;
  const { items, error, retry } = props.changes;
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      size="lg"
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onPublish(comment.trim(), confirmed);
        }}
      >
        <Stack gap="sm">
          <Textarea
            label={t('banner.comment')}
            description={t('banner.commentHint')}
            maxLength={500}
            value={comment}
            // A comment is one line.
            onChange={(event) => setComment(event.currentTarget.value.replaceAll('\n', ' '))}
            data-autofocus
          />
          {props.warning && <Notice>{props.warning}</Notice>}
          {missing.length > 0 && <Untranslated {...{ missing, confirmed }} onConfirm={setConfirmed} />}
          <Text fw={600}>{t('banner.changes')}</Text>
          {items && <ChangesList changes={items} none={t('banner.noChanges')} />}
          {!items && !error && <SkeletonRows rows={1} />}
          <ProblemAlert error={error} retry={retry} />
          <ProblemAlert error={props.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('shared.cancel')}
            </Button>
            <Button type="submit" loading={props.pending} disabled={missing.length > 0 && !confirmed}>
              {props.confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Untranslated({
  missing,
  confirmed,
  onConfirm,
}: {
  missing: MissingTextsResponse[];
  confirmed: boolean;
  onConfirm: (confirmed: boolean) => void;
}) {
  return (
    <Notice>
      <Stack gap="xs">
        <Text fw={600}>{t('banner.untranslated.title')}</Text>
        <ul className="changes">
          {missing.map(({ language, fields }) => (
            <li key={language}>
              {t('banner.untranslated.row', { language: languageName(language), count: fields.length })}
            </li>
          ))}
        </ul>
        <Text>{t('banner.untranslated.text')}</Text>
        <Checkbox
          label={t('banner.untranslated.confirm')}
          checked={confirmed}
          onChange={(event) => onConfirm(event.currentTarget.checked)}
        />
      </Stack>
    </Notice>
  );
}
