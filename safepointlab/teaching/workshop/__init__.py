"""The committed notebooks -> a folder for a class: student pages, solutions, guide, agendas, handout, message.

    page.py        a notebook's file -> its cells, and what a teacher has to know: parts, questions, answers, exercises
    announce.py    agendas.toml and the pages -> what happens at which time, and the message that goes out before
    guide.py       pages -> the instructor's guide, and the solutions apart
    handout.py     the glossary and this machine's JDKs -> two printed pages
    needs.py       what a class needs of a machine, each number once
    folder.py      all of this and the students' pages -> the folder, whole or as it was before

Nothing is executed here, except that a JDK is asked once for its list of flags.
"""
