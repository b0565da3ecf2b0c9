import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrganizations } from '../features/organizations/organization-list';
import { t } from '../i18n/i18n';
import { PROJECT_LIST } from '../shared/project-list';
import { selectCommands } from './commands';
import { PROJECT_PAGES } from './navigation';
import { Picker, type PickerOption } from './picker';

interface Props {
  projectId: string | undefined;
  onClose: () => void;
}

/** Finds a page, a project or a consent by a few letters, without the mouse. */
export function CommandPalette({ projectId, onClose }: Props) {
  const [text, setText] = useState('');
  const { data } = useQuery(PROJECT_LIST);
  const options = selectCommands(
    [
      ...(projectId === undefined ? [] : pagesOf(projectId)),
      ...OTHER_PAGES,
      ...(data?.items ?? []).map(({ id, name }) => ({
        key: id,
        label: name,
        hint: t('palette.project'),
        link: linkOptions({ to: '/projects/$projectId', params: { projectId: id } }),
      })),
      ...useOrganizations().map(({ id, name }) => ({
        key: id,
        label: name,
        hint: t('shell.organizations'),
        link: linkOptions({ to: '/organizations/$organizationId', params: { organizationId: id } }),
      })),
    ],
    text,
    projectId === undefined ? undefined : (consentId) => consentOption(projectId, consentId),
  );
  return (
    <Modal.Root opened onClose={onClose} size={560}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('palette.title')}>
        <Picker
          label={t('palette.title')}
          placeholder={t('palette.placeholder')}
          text={text}
          onText={setText}
          groups={[{ options }]}
          onClose={onClose}
        />
      </Modal.Content>
    </Modal.Root>
  );
}

const pagesOf = (projectId: string): PickerOption[] =>
  PROJECT_PAGES.map(([to, label]) => ({
    key: to,
    label,
    hint: t('palette.page'),
    link: linkOptions({ to, params: { projectId } }),
  }));

const OTHER_PAGES: PickerOption[] = (
  [
    ['/projects', t('projects.title')],
    ['/new-project', t('shell.newProject')],
    ['/new-organization', t('shell.newOrganization')],
    ['/account', t('pages.account')],
  ] as const
).map(([to, label]) => ({ key: to, label, hint: t('palette.page'), link: linkOptions({ to }) }));

const consentOption = (projectId: string, consentId: string): PickerOption => ({
  key: consentId,
  label: consentId,
  hint: t('palette.consent'),
  link: linkOptions({
    to: '/projects/$projectId/consents',
    params: { projectId },
    search: { open: consentId },
  }),
});
