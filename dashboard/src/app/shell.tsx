import { AppShell, Burger, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams, useRouterState } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { lazy, Suspense, useEffect } from 'react';
import { t } from '../i18n/i18n';
import { PROJECT_LIST } from '../shared/project-list';
import { recentProjects } from '../shared/recent-projects';
import { Wordmark } from '../shared/wordmark';
import { PALETTE_KEYS, ShortcutsDialog, useKeyboardShortcuts } from './keyboard-shortcuts';
import { Navigation, OrganizationNavigation } from './navigation';
import { AccountMenu } from './account-menu';
import { ProjectSwitcher } from './project-switcher';
import { useUnsavedForm } from './unsaved-form';

const CommandPalette = lazy(async () => ({ default: (await import('./pickers')).CommandPalette }));

/** The layout around every page of a signed-in person. */
export function Shell() {
  const { organizationId } = useParams({ strict: false });
  const projectId = useNavigatedProject();
  const [opened, menu] = useDisclosure(false);
  const [help, shortcutsDialog] = useDisclosure(false);
  const [searching, palette] = useDisclosure(false);
  useKeyboardShortcuts({ projectId, openHelp: shortcutsDialog.open, openPalette: palette.open });
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const isOverProjects = useOverProjects(pathname);
  const { close } = menu;
  useEffect(close, [pathname, close]);
  const unsavedForm = useUnsavedForm();
  return (
    <AppShell
      header={{ height: isOverProjects ? 48 : { base: 48, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened, desktop: isOverProjects } }}
      padding="lg"
      onInput={unsavedForm.onInput}
    >
      <a className="skip-link" href="#content">
        {t('shell.skip')}
      </a>
      <AppShell.Header {...(!isOverProjects && { hiddenFrom: 'sm' })} px="md">
        <Group h="100%" gap="sm" wrap="nowrap">
          <Burger
            opened={opened}
            onClick={menu.toggle}
            size="sm"
            hiddenFrom="sm"
            aria-label={opened ? t('shell.closeMenu') : t('shell.openMenu')}
          />
          <Wordmark />
          {isOverProjects && (
            <Group ml="auto" gap="xs" wrap="nowrap" visibleFrom="sm" className="header-tools">
              <PaletteButton open={palette.open} />
              <AccountMenu openHelp={shortcutsDialog.open} />
            </Group>
          )}
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="sm"
        aria-label={t('shell.navigation')}
        {...(isOverProjects && { hiddenFrom: 'sm' })}
      >
        <AppShell.Section visibleFrom="sm" pl={8} pt={2} pb={14}>
          <Wordmark />
        </AppShell.Section>
        <AppShell.Section mb="sm" className="navbar-head">
          <ProjectSwitcher projectId={projectId} organizationId={organizationId} />
          <PaletteButton open={palette.open} />
        </AppShell.Section>
        <AppShell.Section grow className="navbar-pages">
          {organizationId ? (
            <OrganizationNavigation organizationId={organizationId} />
          ) : (
            projectId && <Navigation projectId={projectId} />
          )}
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
      {searching && (
        <Suspense>
          <CommandPalette projectId={projectId} onClose={palette.close} />
        </Suspense>
      )}
      <ShortcutsDialog opened={help} onClose={shortcutsDialog.close} />
    </AppShell>
  );
}

function PaletteButton({ open }: { open: () => void }) {
  return (
    <Button
      className="palette-button"
      variant="subtle"
      color="gray"
      fullWidth
      justify="space-between"
      leftSection={<Search className="icon" aria-hidden />}
      rightSection={<kbd aria-hidden>{PALETTE_KEYS}</kbd>}
      onClick={open}
    >
      {t('palette.button')}
    </Button>
  );
}

/** Whether the page is about all of several projects, and the navigation of one of them would mislead. */
function useOverProjects(pathname: string): boolean {
  const { data } = useQuery(PROJECT_LIST);
  return pathname === '/projects' && data?.items.length !== 1;
}

/** The project that the navigation leads through: on pages without one, such as Account, the last one; none in an organization. */
function useNavigatedProject(): string | undefined {
  const { projectId, organizationId } = useParams({ strict: false });
  const { data } = useQuery(PROJECT_LIST);
  const [last] = recentProjects.read();
  if (organizationId !== undefined) return undefined;
  return projectId ?? data?.items.find(({ id }) => id === last)?.id;
}
