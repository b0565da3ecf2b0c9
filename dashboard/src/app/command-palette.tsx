import { Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { type KeyboardEvent, useId, useState } from 'react';
import { t } from '../i18n/i18n';
import { selectCommands } from './commands';
import { PROJECT_PAGES } from './navigation';
import { PROJECT_LIST } from './project-switcher';
import './command-palette.css';

/** Something that the palette opens. */
interface Command {
  key: string;
  label: string;
  /** Its kind, if the label does not contain it. */
  kind: string;
  open: () => void;
}

interface Props {
  projectId: string | undefined;
  onClose: () => void;
}

/** Finds a page, a project or a consent by a few letters, without the mouse. */
export default function CommandPalette({ projectId, onClose }: Props) {
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const id = useId();
  const commands = useCommands(projectId, text);
  const choose = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (steps !== undefined && commands.length > 0) {
      event.preventDefault();
      setMarked((marked + steps + commands.length) % commands.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(commands[marked]);
    }
  };
  return (
    <Modal.Root opened onClose={onClose} size={560}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('palette.title')}>
        <TextInput
          variant="unstyled"
          size="md"
          className="palette-input"
          leftSection={<Search className="icon" aria-hidden />}
          aria-label={t('palette.title')}
          placeholder={t('palette.placeholder')}
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={commands[marked] && `${id}-${marked}`}
          autoComplete="off"
          data-autofocus
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setMarked(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div id={id} className="palette-list" role="listbox" aria-label={t('palette.title')}>
          {commands.map((command, index) => (
            // The field keeps the focus, and takes the keys of the list.
            <div
              key={command.key}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              onMouseMove={() => setMarked(index)}
              onClick={() => choose(command)}
            >
              <span>{command.label}</span>
              <small>{command.kind}</small>
            </div>
          ))}
        </div>
        <div role="status" className={commands.length > 0 ? 'hidden-text' : 'palette-empty'}>
          {commands.length > 0 ? t('palette.found', { count: commands.length }) : t('palette.none')}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

function useCommands(projectId: string | undefined, text: string): Command[] {
  const navigate = useNavigate();
  const { data } = useQuery(PROJECT_LIST);
  const pages = PROJECT_PAGES.map(([to, label]) => ({
    key: to,
    label,
    kind: t('palette.page'),
    open: () => void (projectId !== undefined && navigate({ to, params: { projectId } })),
  }));
  const elsewhere = (
    [
      ['/projects', t('projects.title')],
      ['/new-project', t('shell.newProject')],
      ['/account', t('pages.account')],
    ] as const
  ).map(([to, label]) => ({ key: to, label, kind: t('palette.page'), open: () => void navigate({ to }) }));
  const projects = (data?.items ?? []).map(({ id, name }) => ({
    key: id,
    label: name,
    kind: t('palette.project'),
    open: () => void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
  }));
  const openConsent = (consentId: string): Command => ({
    key: consentId,
    label: consentId,
    kind: t('palette.consent'),
    open: () =>
      void (
        projectId !== undefined &&
        navigate({ to: '/projects/$projectId/consents', params: { projectId }, search: { open: consentId } })
      ),
  });
  const all = [...(projectId === undefined ? [] : pages), ...elsewhere, ...projects];
  return selectCommands(all, text, projectId === undefined ? undefined : openConsent);
}
