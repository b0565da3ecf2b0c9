import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ConfigurationChangeResponse } from '../../client/types.gen';
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
  /** The changes, once they are loaded. */
  changes: { items: ConfigurationChangeResponse[] | undefined; error: unknown; retry: () => void };
  pending: boolean;
  error: unknown;
  onClose: () => void;
  onPublish: (comment: string) => void;
}) {
  const [comment, setComment] = useState('');
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
          props.onPublish(comment.trim());
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
          <Text fw={600}>{t('banner.changes')}</Text>
          {items && <ChangesList changes={items} none={t('banner.noChanges')} />}
          {!items && !error && <SkeletonRows rows={1} />}
          <ProblemAlert error={error} retry={retry} />
          <ProblemAlert error={props.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('shared.cancel')}
            </Button>
            <Button type="submit" loading={props.pending}>
              {props.confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
