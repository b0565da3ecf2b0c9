import { AppShell, Burger, Group, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { t } from '../i18n/i18n';
import { ShortcutsDialog, useKeyboardShortcuts } from './keyboard-shortcuts';
import { Navigation } from './navigation';
import { AccountMenu } from './account-menu';
import { ProjectSwitcher } from './project-switcher';
import { useUnsavedForm } from './unsaved-form';

/** The layout around every page of a signed-in person. */
export function Shell() {
  const { projectId } = useParams({ strict: false });
  const [opened, menu] = useDisclosure(false);
  const [help, shortcutsDialog] = useDisclosure(false);
  useKeyboardShortcuts(projectId, shortcutsDialog.open);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const { close } = menu;
  useEffect(close, [pathname, close]);
  const unsavedForm = useUnsavedForm();
  return (
    <AppShell
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="lg"
      onInput={unsavedForm.onInput}
    >
      <a className="skip-link" href="#content">
        {t('shell.skip')}
      </a>
      <AppShell.Header hiddenFrom="sm" px="md">
        <Group h="100%" gap="sm">
          <Burger
            opened={opened}
            onClick={menu.toggle}
            size="sm"
            aria-label={opened ? t('shell.closeMenu') : t('shell.openMenu')}
          />
          <strong>{t('shell.product')}</strong>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('shell.navigation')}>
        <AppShell.Section mb="sm">
          <ProjectSwitcher projectId={projectId} />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea} type="never">
          {projectId && <Navigation projectId={projectId} />}
        </AppShell.Section>
        <AppShell.Section>
          <AccountMenu openHelp={shortcutsDialog.open} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="content">
          <Outlet />
        </div>
      </AppShell.Main>
      {unsavedForm.dialog}
      <ShortcutsDialog opened={help} onClose={shortcutsDialog.close} />
    </AppShell>
  );
}
