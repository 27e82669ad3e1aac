"""Chat forms: nothing lost, nothing invented, each as its documentation has it."""

import json

from sessionlens.curate import chat
from sessionlens.curate.rows import ChatMessage, Function, ToolCall
from sessionlens.model import Call, File, Message, Reasoning, Text, TextPart

CALL = ToolCall(id="c1", function=Function(name="bash", arguments='{"command": "ls"}'))
TALK = (
    ChatMessage(role="system", content="Be brief."),
    ChatMessage(role="user", content="List it."),
    ChatMessage(role="assistant", content=None, tool_calls=(CALL,)),
    ChatMessage(role="tool", content="a.txt", tool_call_id="c1", name="bash"),
    ChatMessage(role="assistant", content="One file: a.txt."),
)


def test_a_message_with_calls_is_answered_call_by_call():
    message = Message(
        index=3,
        role="assistant",
        parts=(
            Reasoning(text=Text("hm")),
            TextPart(text=Text("I look.")),
            Call(id="c1", name="bash", input=Text('{"command": "ls"}'), output=Text("a.txt")),
            Call(name="read", input=Text('{"path": "a.txt"}'), status="pending"),
            Call(
                id="c3",
                name="bash",
                input=Text('{"command": "false"}'),
                output=Text("out"),
                error=Text("failed"),
            ),
        ),
    )
    made = chat.of(message, "assistant")
    assert [m.role for m in made.messages] == ["assistant", "tool", "tool", "tool"]
    assert made.messages[0].content == "I look."
    assert [call.id for call in made.messages[0].tool_calls or ()] == ["c1", "call_3_1", "c3"]
    assert [m.content for m in made.messages[1:]] == ["a.txt", "", "out\nfailed"]
    assert [m.tool_call_id for m in made.messages[1:]] == ["c1", "call_3_1", "c3"]
    assert made.reasoning == "hm"


def test_a_message_of_calls_alone_has_no_text_and_an_empty_one_an_empty_text():
    call = Call(id="c", name="bash", input=Text("{}"), output=Text("x"))
    assert chat.of(Message(index=0, role="assistant", parts=(call,)), "assistant").messages[0].content is None
    assert chat.of(Message(index=0, role="assistant"), "assistant").messages[0].content == ""
    attached = chat.of(Message(index=0, role="user", parts=(File(name="a.png", mime="image/png"),)), "user")
    assert attached.messages[0].content == "[attachment: a.png (image/png)]"


def test_long_results_keep_their_ends_and_say_so():
    text = "a" * 50_000 + "THE END"
    call = Call(id="c", name="bash", input=Text("{}"), output=Text(text, lambda: text))
    made = chat.of(Message(index=0, role="assistant", parts=(call,)), "assistant", limit=1000)
    content = made.messages[1].content or ""
    assert content.endswith("THE END")
    assert f"{made.cut} characters left out" in content
    assert made.cut == len(text) - 1000
    whole = chat.of(Message(index=0, role="assistant", parts=(call,)), "assistant", limit=100_000)
    assert whole.messages[1].content == text
    assert whole.cut == 0


def test_anthropic_joins_roles_and_puts_results_into_the_next_user_message():
    made = chat.anthropic(TALK)
    assert made["system"] == "Be brief."
    assert [turn["role"] for turn in made["messages"]] == ["user", "assistant", "user", "assistant"]
    assert made["messages"][1]["content"] == [
        {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}
    ]
    assert made["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"}
    ]
    odd = ToolCall(id="c2", function=Function(name="run", arguments="not json"))
    assert chat.anthropic([ChatMessage(role="assistant", content=None, tool_calls=(odd,))])["messages"][0][
        "content"
    ] == [{"type": "tool_use", "id": "c2", "name": "run", "input": {"input": "not json"}}]


def test_sharegpt_has_its_own_names():
    made = chat.sharegpt(TALK)
    assert [one["from"] for one in made] == ["system", "human", "function_call", "observation", "gpt"]
    assert json.loads(made[2]["value"]) == {"name": "bash", "arguments": {"command": "ls"}}


def test_tools_list_what_the_log_shows():
    (tool,) = json.loads(chat.tools(TALK))
    assert tool["type"] == "function"
    assert tool["function"]["name"] == "bash"
    assert set(tool["function"]["parameters"]["properties"]) == {"command"}
    assert chat.tools(TALK[:2]) == "[]"


def test_what_the_client_put_into_an_answer_is_not_the_assistants():
    note = TextPart(text=Text("<environment_details>open tabs</environment_details>"), synthetic=True)
    parts = (TextPart(text=Text("I look at the folder.")), note, File(name="a.png"))
    said = chat.of(Message(index=1, role="assistant", parts=parts), "assistant")
    assert said.messages[0].content == "I look at the folder."
    asked = chat.of(Message(index=0, role="user", parts=parts), "user")
    assert "open tabs" in (asked.messages[0].content or "")


def test_arguments_are_always_the_text_of_an_object():
    for given, wanted in (
        ('{"a": 1}', {"a": 1}),
        ("ls -l", {"input": "ls -l"}),
        ("[1]", {"input": [1]}),
        ("", {}),
    ):
        call = Call(id="c", name="x", input=Text(given), output=Text(""))
        (made,) = (
            chat.of(Message(index=0, role="assistant", parts=(call,)), "assistant").messages[0].tool_calls
            or ()
        )
        assert json.loads(made.function.arguments) == wanted
