//! `portcullis policy`: what a policy says, and what it would have done about recorded sessions.

mod file;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use portcullis_conditions::Conditions;
use portcullis_decide::policy::{Act, Policy, Subject, is_about_results, judge_call};
use portcullis_decide::policy::{CallState, Profile};
use portcullis_detect::call::Operation;
use portcullis_detect::json::Json;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{Guard, GuardSettings, escape_line};

use crate::Streams;
use crate::args::Shared;
use crate::exit::{Exit, Failure};
use crate::replay::{self, ReplayArguments};
pub(crate) use file::{Loaded, read, understand};

#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    #[command(subcommand)]
    pub(crate) what: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say what a policy does about each operation and each of the operator's rules.
    Explain(ExplainPolicyArguments),
    /// Run recorded sessions under a policy; the same as replay --policy.
    Test(TestPolicyArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ExplainPolicyArguments {
    /// A configuration with a `security` section.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct TestPolicyArguments {
    /// A configuration with a `security` section.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    #[command(flatten)]
    pub(crate) replay: ReplayArguments,
}

/// Runs the command.
pub(crate) fn run(
    arguments: &PolicyArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    match &arguments.what {
        PolicyCommand::Explain(arguments) => {
            let loaded = read(&arguments.config)?;
            compile(&loaded)?;
            explain(&loaded, streams)
        }
        PolicyCommand::Test(arguments) => {
            replay::run_with(&arguments.replay, Some(&arguments.config), shared, streams)
        }
    }
}

/// The conditions of a policy, ready to be asked.
pub(crate) fn compile(loaded: &Loaded) -> Result<Conditions, Failure> {
    let written = loaded.conditions.iter().map(|(id, when)| (id.as_str(), when.as_str()));
    Conditions::compile(written).map_err(|bad| Failure::Usage(bad.to_string()))
}

fn explain(loaded: &Loaded, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let policy = &loaded.policy;
    writeln!(streams.out, "profile {}", policy.profile.as_str())?;
    for operation in [Operation::Read, Operation::Write, Operation::Destructive] {
        writeln!(
            streams.out,
            "  operation {:<24} {}",
            operation.as_str(),
            about_operation(policy, operation)
        )?;
    }
    let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
    for facts in guard.facts() {
        let written = policy.rules.iter().filter(|(rule, _)| {
            rule == facts.id || facts.id.split('.').next().is_some_and(|family| rule == family)
        });
        let written = written.map(|(_, act)| act.as_str()).next_back().unwrap_or("as the profile says");
        writeln!(streams.out, "  rule      {:<32} {written}", facts.id)?;
    }
    for facts in guard.facts().filter(|facts| is_about_results(facts.id)) {
        let act = policy.on_result(facts.id, u8::MAX);
        writeln!(streams.out, "  result    {:<32} {}", facts.id, act.as_str())?;
    }
    for rule in &policy.addresses {
        let tool = rule.tool.as_deref().unwrap_or("*");
        let name = format!("{}/{}", escape_line(&rule.server, 60), escape_line(tool, 60));
        writeln!(streams.out, "  tool      {name:<32} {}", rule.act.as_str())?;
    }
    for rule in &policy.arguments {
        let name = format!("{}={}", escape_line(&rule.parameter, 60), escape_line(&rule.value, 60));
        writeln!(streams.out, "  argument  {name:<32} {}", rule.act.as_str())?;
    }
    for ((id, when), rule) in loaded.conditions.iter().zip(&policy.conditions) {
        let (id, when) = (escape_line(id, 60), escape_line(when, 120));
        writeln!(streams.out, "  condition {id:<32} {} when {when}", rule.act.as_str())?;
    }
    if policy.profile == Profile::Observe {
        writeln!(streams.err, "note: this profile records and stops nothing")?;
    }
    Ok(Exit::Clean)
}

/// What is done about a call that does this and shows nothing else.
fn about_operation(policy: &Policy, operation: Operation) -> &'static str {
    let subject = Subject { server: "", tool: "", arguments: &Json::Null, operation };
    let bare = Policy { addresses: Vec::new(), arguments: Vec::new(), ..policy.clone() };
    let act: Act = judge_call(subject, &[], &bare, &CallState::default()).act;
    act.as_str()
}
